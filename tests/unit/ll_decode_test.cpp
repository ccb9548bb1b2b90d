// SPDX-License-Identifier: GPL-2.0-only
/*
 * ll_decode over the file systems that real Lustre wrote: tests/golden/NAME/attributes has what
 * the files of the MDT and of the OST had, and list what ls showed on a client.
 */
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cmocka.hpp"
#include "ll_decode/decode.hpp"
#include "ll_decode/run.hpp"
#include "ll_decode/text.hpp"

#include <lustre_lite/lov_ea.h>
#include <lustre_lite/lustre_ea.h>
#include <lustre_lite/lustre_linkea.h>

namespace {

using lctl::Json;

struct File {
    char kind = 'f';
    std::map<std::string, std::string> attributes;
};

/* Files by path: "mdt/ROOT/rc.local", "ost/O/0/d20/20". */
using Tree = std::map<std::string, File>;

const char* const kTrees[] = {"lustre-2.7", "lustre-2.9"};

std::ifstream open_golden(const std::string& tree, const char* name)
{
    std::ifstream in(std::string(LL_GOLDEN "/") + tree + "/" + name);

    assert_true(in.good());
    return in;
}

std::string bytes_of(const std::string& hex)
{
    std::string bytes;

    for (std::size_t at = 0; at + 1 < hex.size(); at += 2)
        bytes.push_back(static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16)));
    return bytes;
}

Tree read_tree(const std::string& name)
{
    std::ifstream in = open_golden(name, "attributes");
    std::string path;
    std::string attribute;
    std::string hex;
    char kind = 0;
    Tree tree;

    while (in >> kind >> path >> attribute >> hex) {
        tree[path].kind = kind;
        tree[path].attributes[attribute] = bytes_of(hex);
    }
    assert_true(tree.size() > 30);
    return tree;
}

/* Inode numbers by path below ROOT, of what ls -Rni printed. */
std::map<std::string, std::uint64_t> read_list(const std::string& name)
{
    std::ifstream in = open_golden(name, "list");
    std::map<std::string, std::uint64_t> list;
    std::string directory;
    std::string line;

    while (std::getline(in, line)) {
        if (line.starts_with("./") || line == ".:") {
            directory = line.substr(1, line.size() - 2) + "/";
            continue;
        }

        std::istringstream words(line);
        std::uint64_t inode = 0;
        std::string word;

        if (!(words >> inode))
            continue;
        for (int skipped = 0; skipped < 6; skipped++)
            words >> word;
        words >> word;
        list["mdt/ROOT" + directory + word] = inode;
    }
    return list;
}

class TreeFiles : public ll_decode::Files {
public:
    explicit TreeFiles(Tree tree) : tree_(std::move(tree)) {}

    ll::Result<bool> is_directory(const std::string& path) const override
    {
        const auto found = tree_.find(path);

        if (found == tree_.end())
            return tl::unexpected(ll::make_error(ENOENT, path));
        return found->second.kind == 'd';
    }

    ll::Result<std::optional<std::string>> attribute(const std::string& path,
                                                     const char* name) const override
    {
        const auto& attributes = tree_.at(path).attributes;
        const auto found = attributes.find(name);

        if (found == attributes.end())
            return std::optional<std::string>();
        return std::optional<std::string>(found->second);
    }

private:
    Tree tree_;
};

class KeptWriter : public lctl::Writer {
public:
    KeptWriter() : Writer(-1) {}
    KeptWriter(const KeptWriter&) = delete;
    KeptWriter& operator=(const KeptWriter&) = delete;
    ~KeptWriter() override { flush(); }

    std::string all;

protected:
    int write_all(std::string_view text) override
    {
        all.append(text);
        return 0;
    }
};

struct Output {
    std::string out;
    std::string err;
    int status = 0;
};

Output run(const Tree& tree, std::vector<std::string> words)
{
    const TreeFiles files(tree);
    std::vector<char*> argv;
    KeptWriter out;
    KeptWriter err;

    for (std::string& word : words)
        argv.push_back(word.data());
    argv.push_back(nullptr);

    const int status =
        ll_decode::run({out, err, files}, static_cast<int>(words.size()), argv.data());

    return {out.all, err.all, status};
}

/* A file's attribute as the tool has it; fails if it is damaged. */
Json decoded(const Tree& tree, const std::string& path, const char* name)
{
    for (const ll_decode::Attribute& attribute : ll_decode::attributes()) {
        if (std::string_view(attribute.name) != name)
            continue;

        const ll_decode::Decoded found =
            attribute.decode(tree.at(path).attributes.at(name), tree.at(path).kind == 'd');

        if (found.fault != nullptr)
            fail_msg("%s: %s: %s", path.c_str(), name, found.fault);
        return found.value;
    }
    fail_msg("%s is not known", name);
    return {};
}

bool has(const File& file, const char* name)
{
    return file.attributes.contains(name);
}

std::string written_lma(const std::string& bytes)
{
    std::string made(LUSTRE_LMA_SIZE, '\0');
    lustre_lma lma;

    assert_null(lustre_lma_decode(bytes.data(), bytes.size(), &lma));
    lustre_lma_encode(made.data(), &lma);
    return made;
}

std::string written_fid(const std::string& bytes)
{
    std::string made(bytes.size(), '\0');
    lustre_filter_fid ff;

    assert_null(lustre_filter_fid_decode(bytes.data(), bytes.size(), &ff));
    lustre_filter_fid_encode(made.data(), &ff);
    return made;
}

std::string written_link(const std::string& bytes)
{
    std::string made(MAX_LINKEA_SIZE, '\0');
    linkea_entry entry;
    linkea link;
    linkea copy;
    std::size_t at = 0;

    assert_null(linkea_decode(bytes.data(), bytes.size(), &link));
    linkea_init(made.data(), &copy);
    while (linkea_next(&link, &at, &entry))
        assert_int_equal(linkea_add(made.data(), made.size(), &copy, &entry, 1), 0);
    made.resize(copy.len);
    return made;
}

std::string written_lov(const std::string& bytes)
{
    std::vector<lov_object> objects;
    lov_ea ea;

    assert_null(lov_ea_decode(bytes.data(), bytes.size(), &ea));
    for (u32 n = 0; n < ea.object_count; n++)
        objects.push_back(lov_ea_object(&ea, n));

    std::string made(lov_ea_size(&ea), '\0');

    lov_ea_encode(made.data(), &ea, objects.data());
    return made;
}

void what_real_lustre_wrote_is_written_again_to_the_same_bytes(void**)
{
    const std::map<std::string, std::string (*)(const std::string&)> written = {
        {XATTR_NAME_LMA, written_lma},
        {XATTR_NAME_FID, written_fid},
        {XATTR_NAME_LINK, written_link},
        {XATTR_NAME_LOV, written_lov},
    };

    for (const char* name : kTrees)
        for (const auto& [path, file] : read_tree(name))
            for (const auto& [attribute, bytes] : file.attributes)
                assert_true(written.at(attribute)(bytes) == bytes);
}

void inode_numbers_that_clients_saw_are_the_fids(void**)
{
    for (const char* name : kTrees) {
        const Tree tree = read_tree(name);
        auto list = read_list(name);

        for (const auto& [path, file] : tree) {
            /* ls does not show what starts with a dot. */
            if (path == "mdt/ROOT" || path.starts_with("mdt/ROOT/.") || path.starts_with("ost/"))
                continue;
            assert_true(decoded(tree, path, XATTR_NAME_LMA)["inode"] == list.at(path));
            list.erase(path);
        }
        assert_true(list.empty());
    }
}

void names_in_trusted_link_are_those_of_the_tree(void**)
{
    for (const char* name : kTrees) {
        const Tree tree = read_tree(name);
        int found = 0;

        for (const auto& [path, file] : tree) {
            if (!has(file, XATTR_NAME_LINK))
                continue;

            const std::size_t slash = path.rfind('/');
            const Json parent = decoded(tree, path.substr(0, slash), XATTR_NAME_LMA)["fid"];
            const Json link = decoded(tree, path, XATTR_NAME_LINK);

            assert_int_equal(link["count"].get<int>(), 1);
            assert_true(link["names"][0]["name"] == path.substr(slash + 1));
            assert_true(link["names"][0]["parent"] == parent);
            found++;
        }
        assert_true(found >= 30);
    }
}

void objects_of_layouts_point_back_to_their_files(void**)
{
    for (const char* name : kTrees) {
        const Tree tree = read_tree(name);
        std::set<std::string> seen;

        for (const auto& [path, file] : tree) {
            if (!has(file, XATTR_NAME_LOV))
                continue;

            const Json fid = decoded(tree, path, XATTR_NAME_LMA)["fid"];
            const Json lov = decoded(tree, path, XATTR_NAME_LOV);

            assert_true(lov["fid"] == fid);
            for (std::size_t n = 0; n < lov["objects"].size(); n++) {
                const Json& object = lov["objects"][n];
                const std::string at = "ost/" + object["path"].get<std::string>();
                const Json back = decoded(tree, at, XATTR_NAME_FID);

                assert_true(decoded(tree, at, XATTR_NAME_LMA)["fid"] == object["fid"]);
                assert_true(back["parent"] == fid && back["stripe"] == n);
                assert_true(seen.insert(at).second);
            }
        }
        assert_true(seen.size() >= 6);
    }
}

void every_file_is_printed(void**)
{
    for (const char* name : kTrees) {
        const Tree tree = read_tree(name);
        std::vector<std::string> words = {"ll_decode", "--json"};

        for (const auto& [path, file] : tree)
            words.push_back(path);

        const Output output = run(tree, words);
        const Json printed = Json::parse(output.out);

        assert_text(output.err, "");
        assert_int_equal(output.status, 0);
        assert_int_equal(printed.size(), tree.size());
        for (const Json& file : printed)
            assert_int_equal(file.size(),
                             tree.at(file["file"].get<std::string>()).attributes.size() + 1);
    }
}

void text_of_a_file_has_its_layout_as_lfs_getstripe_prints_it(void**)
{
    const Output output = run(read_tree("lustre-2.7"), {"ll_decode", "mdt/ROOT/rc.local"});

    assert_text(output.out,
                "mdt/ROOT/rc.local\n"
                "trusted.lma: fid=[0x200000400:0x1b:0x0] inode=144115205255725083 compat=0 "
                "incompat=0\n"
                "trusted.link: count=1\n"
                "    0: parent=[0x200000007:0x1:0x0] name=\"rc.local\"\n"
                "trusted.lov:\n"
                "lmm_stripe_count:  1\n"
                "lmm_stripe_size:   1048576\n"
                "lmm_pattern:       raid0\n"
                "lmm_layout_gen:    0\n"
                "lmm_stripe_offset: 0\n"
                "\tobdidx\t\t objid\t\t objid\t\t group\n"
                "\t     0\t            20\t         0x14\t             0\n"
                "\n");
    assert_int_equal(output.status, 0);
}

void the_names_of_real_lustre_print_as_real_lustre(void**)
{
    Tree tree = read_tree("lustre-2.7");

    assert_text(run(tree, {"/sbin/ll_decode_linkea", "mdt/ROOT/rc.local"}).out,
                "mdt/ROOT/rc.local: count 1\n"
                "    0: pfid [0x200000007:0x1:0x0], name 'rc.local'\n");
    assert_text(run(tree, {"ll_decode_filter_fid", "ost/O/0/d20/20"}).out,
                "ost/O/0/d20/20: parent=[0x200000400:0x1b:0x0] stripe=0\n");

    /* Object 1186 of document 003. */
    tree["o"].attributes[XATTR_NAME_FID] =
        bytes_of("11a800000200000001000000000000000000100001000000") + std::string(28, '\0');
    assert_text(run(tree, {"ll_decode_filter_fid", "o"}).out,
                "o: parent=[0x20000a811:0x1:0x0] stripe=0 stripe_size=1048576 stripe_count=1 "
                "layout_version=0 range=0\n");

    const Output none = run(tree, {"ll_decode_linkea", "o", "no", "mdt/ROOT/rc.local"});

    assert_text(none.err,
                "error: ll_decode_linkea: o: no trusted.link\n"
                "error: ll_decode_linkea: no: No such file or directory\n");
    assert_true(none.out.starts_with("mdt/ROOT/rc.local: count 1\n"));
    assert_int_equal(none.status, 1);
}

void the_default_of_a_directory_is_one_line(void**)
{
    Tree tree;

    tree["d"].kind = 'd';
    tree["d"].attributes[XATTR_NAME_LOV] = bytes_of(
        "d00bd30b010000000000000000000000000000000000000000004000"
        "0200ffff66617374000000000000000000000000");
    assert_text(run(tree, {"ll_decode", "d"}).out,
                "d\ntrusted.lov:\nstripe_count:  2 stripe_size:   4194304 pattern:       raid0 "
                "stripe_offset: -1 pool:          fast\n\n");
}

/* One instantiated component, and one without objects up to the end. */
std::string composite()
{
    const std::string first = bytes_of(
        "d00bd10b010000000500000000000000000400000200000000001000"
        "0100000014000000000000000000000000000000"
        "0000000003000000");
    const std::string second = bytes_of(
        "d00bd10b010000000500000000000000000400000200000000001000"
        "ffffffff");
    std::string bytes(32 + 2 * 48, '\0');
    const auto put32 = [&](std::size_t at, u32 value) { codec_put32(bytes.data() + at, value); };

    put32(0, LOV_MAGIC_COMP_V1);
    put32(4, static_cast<u32>(bytes.size() + first.size() + second.size()));
    put32(8, 3);
    codec_put16(bytes.data() + 14, 2);
    put32(32, 1);
    put32(36, LCME_FL_INIT);
    put32(48, 1048576);
    put32(56, 128);
    put32(60, static_cast<u32>(first.size()));
    put32(80, 2);
    put32(88, 1048576);
    codec_put64(bytes.data() + 96, ~0ULL);
    put32(104, 128 + static_cast<u32>(first.size()));
    put32(108, static_cast<u32>(second.size()));
    return bytes + first + second;
}

void a_composite_layout_is_printed_by_component(void**)
{
    Tree tree;

    tree["f"].attributes[XATTR_NAME_LOV] = composite();

    const Output output = run(tree, {"ll_decode", "f"});

    assert_text(output.err, "");
    assert_text(output.out,
                "f\ntrusted.lov:\n"
                "  lcm_layout_gen:    3\n"
                "  lcm_mirror_count:  1\n"
                "  lcm_entry_count:   2\n"
                "    lcme_id:             1\n"
                "    lcme_mirror_id:      0\n"
                "    lcme_flags:          init\n"
                "    lcme_extent.e_start: 0\n"
                "    lcme_extent.e_end:   1048576\n"
                "      lmm_stripe_count:  1\n"
                "      lmm_stripe_size:   1048576\n"
                "      lmm_pattern:       raid0\n"
                "      lmm_layout_gen:    0\n"
                "      lmm_stripe_offset: 3\n"
                "      lmm_objects:\n"
                "      -   0: { l_ost_idx:   3, l_fid: [0x100030000:0x14:0x0] }\n"
                "\n"
                "    lcme_id:             2\n"
                "    lcme_mirror_id:      0\n"
                "    lcme_flags:          0\n"
                "    lcme_extent.e_start: 1048576\n"
                "    lcme_extent.e_end:   EOF\n"
                "      lmm_stripe_count:  -1\n"
                "      lmm_stripe_size:   1048576\n"
                "      lmm_pattern:       raid0\n"
                "      lmm_layout_gen:    0\n"
                "      lmm_stripe_offset: -1\n"
                "\n"
                "\n");
}

void the_other_attributes_have_names_and_values(void**)
{
    Tree tree;

    tree["f"].attributes[XATTR_NAME_SOM] =
        bytes_of("0400000000000000d9010000000000000800000000000000");
    tree["f"].attributes[XATTR_NAME_HSM] =
        bytes_of("000000000900000002000000000000000300000000000000");
    tree["f"].attributes[XATTR_NAME_VERSION] = bytes_of("3c00000015000000");
    tree["f"].attributes[XATTR_NAME_LMV] = bytes_of(
        "d00cd20c01000000020000000300000000000000000000000000000000000000"
        "000000000000000000000000000000000000000000000000"
        "00040040020000000600000000000000");
    assert_text(run(tree, {"ll_decode", "f"}).out,
                "f\n"
                "trusted.som: valid=lazy size=473 blocks=8\n"
                "trusted.hsm: compat=0x0 flags=0x9 archive=2 version=3\n"
                "trusted.version: transno=90194313276\n"
                "trusted.lmv: magic=0x0cd20cd0 stripe_count=1 master=2 hash_type=0x3 "
                "layout_version=0 migrate_offset=0 migrate_hash=0\n"
                "    0: fid=[0x240000400:0x6:0x0]\n"
                "\n");
}

void damage_is_an_error_and_the_rest_is_printed(void**)
{
    Tree tree = read_tree("lustre-2.7");

    tree["mdt/ROOT/rc.local"].attributes[XATTR_NAME_LINK].pop_back();

    const Output text = run(tree, {"ll_decode", "mdt/ROOT/rc.local"});

    assert_text(text.err, "error: ll_decode: mdt/ROOT/rc.local: trusted.link: invalid length\n");
    assert_true(text.out.find("trusted.lov:\n") != std::string::npos);
    assert_true(text.out.find("trusted.link") == std::string::npos);
    assert_int_equal(text.status, 1);

    const Output json = run(tree, {"ll_decode", "--json", "mdt/ROOT/rc.local", "no"});
    const Json printed = Json::parse(json.out);

    assert_int_equal(printed.size(), 3);
    assert_true(printed[0]["error"]["message"] ==
                "mdt/ROOT/rc.local: trusted.link: invalid length");
    assert_true(printed[1]["lma"]["fid"] == "0x200000400:0x1b:0x0");
    assert_true(printed[2]["error"]["errno"] == ENOENT);
    assert_int_equal(json.status, 1);
}

void usage_is_checked(void**)
{
    const Tree tree;

    assert_int_equal(run(tree, {"ll_decode"}).status, 2);
    assert_int_equal(run(tree, {"ll_decode", "--nothing", "f"}).status, 2);
    assert_int_equal(run(tree, {"ll_decode_linkea", "--json", "f"}).status, 2);
    assert_true(run(tree, {"ll_decode", "--help"}).out.starts_with("usage: ll_decode "));
    assert_true(run(tree, {"ll_decode", "--version"}).out.starts_with("ll_decode: "));
}

}  // namespace

int main()
{
    const CMUnitTest tests[] = {
        cmocka_unit_test(what_real_lustre_wrote_is_written_again_to_the_same_bytes),
        cmocka_unit_test(inode_numbers_that_clients_saw_are_the_fids),
        cmocka_unit_test(names_in_trusted_link_are_those_of_the_tree),
        cmocka_unit_test(objects_of_layouts_point_back_to_their_files),
        cmocka_unit_test(every_file_is_printed),
        cmocka_unit_test(text_of_a_file_has_its_layout_as_lfs_getstripe_prints_it),
        cmocka_unit_test(the_names_of_real_lustre_print_as_real_lustre),
        cmocka_unit_test(the_default_of_a_directory_is_one_line),
        cmocka_unit_test(a_composite_layout_is_printed_by_component),
        cmocka_unit_test(the_other_attributes_have_names_and_values),
        cmocka_unit_test(damage_is_an_error_and_the_rest_is_printed),
        cmocka_unit_test(usage_is_checked),
    };

    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
