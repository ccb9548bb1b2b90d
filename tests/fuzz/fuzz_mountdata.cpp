// SPDX-License-Identifier: GPL-2.0-only
// Bytes as mountdata: accepted ones are written unchanged, valid ones can be modified and
// stay valid, and text has no control characters but newlines.
#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "disk/mountdata.hpp"
#include "disk/tunefs.hpp"

using namespace disk;

namespace {

void require(bool holds)
{
    if (!holds)
        std::abort();
}

// Another parameter and a node, and away with them.
void change(MountData data)
{
    TunefsRequest request;
    const std::size_t params = data.params()->all().size();

    request.options.params.push_back({"fuzz.param", "1"});
    request.options.comment = "fuzz";
    request.writeconf = true;
    if (!change_mountdata(request, data))
        return;  // too long
    require(data.check().has_value() && data.is(LDD_F_WRITECONF));
    require(data.comment() == "fuzz");

    const auto again = MountData::decode("again", data.bytes());
    require(again.has_value() && again->params()->has("fuzz.param"));

    TunefsRequest back;
    back.erase.emplace_back("fuzz.param");
    require(change_mountdata(back, data).has_value());
    require(!data.params()->has("fuzz.param") && data.params()->all().size() <= params);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const auto bytes = std::as_bytes(std::span(data, size));
    // Most of it is zero: few bytes say where the others are.
    std::vector<std::byte> whole(bytes.begin(), bytes.end());

    if (size > 0 && size < sizeof(lustre_disk_data))
        whole.resize(sizeof(lustre_disk_data));

    const auto decoded = MountData::decode("fuzz", whole);
    if (!decoded) {
        require(!decoded.error().text.empty());
        return 0;
    }
    require(std::ranges::equal(decoded->bytes(), whole));
    require(!decoded->text().empty());
    if (decoded->check())
        change(*decoded);
    return 0;
}
