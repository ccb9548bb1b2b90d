// SPDX-License-Identifier: GPL-2.0-only
// Attacks of a hostile peer on a node, one after the other.
#ifndef VM_TOOLS_WIRE_ATTACK_HPP
#define VM_TOOLS_WIRE_ATTACK_HPP

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "fuzz.hpp"
#include "wire.hpp"

namespace vm {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Enemy {
    in_addr from{};
    sockaddr_in to{};
    std::string target;
    unsigned half_open = 1000;
};

struct Tally {
    std::atomic<uint64_t> connections = 0;
    std::atomic<uint64_t> no_connection = 0;
    std::atomic<uint64_t> frames = 0;
    std::atomic<uint64_t> replies = 0;
    std::atomic<uint64_t> refused = 0;
    std::atomic<uint64_t> handles = 0;
};

constexpr std::array<uint32_t, 30> OPCODES = {OST_REPLY,
                                              OST_READ,
                                              OST_WRITE,
                                              OST_DESTROY,
                                              OST_GET_INFO,
                                              OST_CONNECT,
                                              OST_DISCONNECT,
                                              OST_PUNCH,
                                              OST_STATFS,
                                              OST_SET_INFO,
                                              MDS_CONNECT,
                                              MDS_DISCONNECT,
                                              MDS_GET_ROOT,
                                              MDS_STATFS,
                                              MDS_GET_INFO,
                                              LDLM_ENQUEUE,
                                              LDLM_CONVERT,
                                              LDLM_CANCEL,
                                              LDLM_BL_CALLBACK,
                                              LDLM_CP_CALLBACK,
                                              LDLM_GL_CALLBACK,
                                              LDLM_SET_INFO,
                                              MGS_CONNECT,
                                              MGS_DISCONNECT,
                                              MGS_SET_INFO,
                                              MGS_CONFIG_READ,
                                              OBD_PING,
                                              402,
                                              501,
                                              0xffffffff};
constexpr std::array<uint16_t, 7> PORTALS = {OST_IO_PORTAL,
                                             MDS_REQUEST_PORTAL,
                                             LDLM_CB_REQUEST_PORTAL,
                                             LDLM_CANCEL_REQUEST_PORTAL,
                                             MGS_REQUEST_PORTAL,
                                             OST_REQUEST_PORTAL,
                                             0};

// Each attack is on a connection of its own and ends within a few seconds.
class Attacker {
public:
    Attacker(const Enemy& enemy, Tally& tally, uint64_t seed)
        : enemy_(enemy), tally_(tally), dice_(seed)
    {
    }

    struct Attack {
        std::string_view name;
        void (Attacker::*run)();
        // Among the random ones how often.
        unsigned weight;
    };
    static const std::array<Attack, 15> ATTACKS;

    void attack(const Attack& which)
    {
        (this->*which.run)();
        conn_.reset();
    }

    void attack_any()
    {
        unsigned sum = 0;

        for (const Attack& one : ATTACKS)
            sum += one.weight;
        auto left = dice_.below(sum);
        for (const Attack& one : ATTACKS) {
            if (left < one.weight)
                return attack(one);
            left -= one.weight;
        }
    }

private:
    static constexpr auto LIMIT = seconds(3);

    bool connect()
    {
        if (!conn_.open(enemy_.from, enemy_.to, static_cast<unsigned>(dice_.below(1021)), LIMIT)) {
            tally_.no_connection++;
            std::this_thread::sleep_for(milliseconds(10));
            return false;
        }
        tally_.connections++;
        return true;
    }

    bool greeted()
    {
        if (!connect())
            return false;
        if (conn_.greet(LIMIT))
            return true;
        tally_.refused++;
        return false;
    }

    bool put(const std::string& bytes)
    {
        tally_.frames++;
        return conn_.send(bytes, milliseconds(500));
    }

    bool put_message(const std::string& msg, const std::string& bulk = {})
    {
        return put(bytes_of(frame_head(LNET_FRAME_MSG, msg, bulk, conn_.next_seq())) + msg + bulk);
    }

    void expect_refusal()
    {
        if (conn_.closed(seconds(2)))
            tally_.refused++;
    }

    void take_replies(unsigned count, milliseconds limit)
    {
        while (count-- != 0 && conn_.receive_message(limit))
            tally_.replies++;
    }

    // A handle that the target gave, or 0.
    uint64_t real_handle()
    {
        const uint64_t xid = next_xid();

        if (enemy_.target.empty())
            return 0;
        lustre_connect co{};
        co.co_import = dice_.number();
        co.co_generation = 1;
        obd_connect_data ocd{};
        ocd.ocd_connect_flags = OBD_CONNECT_VERSION | OBD_CONNECT_AT;
        ocd.ocd_version = 0x02090300;
        lustre_msg head = request(OST_CONNECT, OST_REQUEST_PORTAL, xid, 0);
        head.lm_op_flags = MSG_CONNECT_INITIAL;
        const std::string client = "hostile-" + std::to_string(dice_.below(8)) + "_UUID";
        if (!put_message(message(head, {fixed_text(enemy_.target, 40), fixed_text(client, 40),
                                        bytes_of(co), bytes_of(ocd)})))
            return 0;
        const auto reply = conn_.receive_reply(xid, seconds(1));
        if (!reply || reply->head.lm_status != 0 || reply->head.lm_handle == 0)
            return 0;
        tally_.handles++;
        return reply->head.lm_handle;
    }

    uint64_t next_xid() { return xid_ += 1 + dice_.below(3); }

    std::string some_buffer()
    {
        switch (dice_.below(9)) {
            case 0:
                return {};
            case 1:
                return dice_.noise(dice_.below(300));
            case 2:
                return fixed_text("some text", 10 + dice_.below(30));
            case 3: {
                lustre_brw brw{dice_.number(), dice_.number(), uint32_t(dice_.number()), 0};
                return bytes_of(brw);
            }
            case 4:
                return bytes_of(some_lock());
            case 5:
                return bytes_of(lustre_info{uint32_t(dice_.number()), 0});
            case 6:
                return std::string(dice_.below(30000), '\0');
            case 7:
                return fixed_text(enemy_.target, 40);
            default:
                return bytes_of(dice_.number());
        }
    }

    lustre_lock some_lock()
    {
        lustre_lock lock{};

        lock.wl_client = dice_.number();
        lock.wl_server = dice_.number();
        lock.wl_type = dice_.one_in(4) ? uint32_t(dice_.number()) : 10 + uint32_t(dice_.below(4));
        lock.wl_flags = dice_.one_in(3) ? uint32_t(dice_.number()) : 0;
        lock.wl_req_mode = dice_.one_in(4) ? uint32_t(dice_.number()) : 1U << dice_.below(6);
        lock.wl_granted_mode = dice_.one_in(4) ? uint32_t(dice_.number()) : 0;
        lock.wl_res[0] = 0x5eed0000 + dice_.below(8);
        if (dice_.one_in(4))
            lock.wl_policy[dice_.below(4)] = dice_.number();
        return lock;
    }

    lustre_msg some_head(uint64_t handle)
    {
        lustre_msg head = request(dice_.pick(OPCODES), dice_.pick(PORTALS), next_xid(), 0);

        head.lm_handle = dice_.one_in(4) ? dice_.number() : handle;
        head.lm_flags = dice_.one_in(3) ? uint32_t(dice_.number()) : 0;
        head.lm_op_flags = dice_.one_in(4) ? uint32_t(dice_.number()) : 0;
        head.lm_conn_cnt = dice_.one_in(4) ? uint32_t(dice_.number()) : 1;
        head.lm_timeout = dice_.one_in(4) ? uint32_t(dice_.number()) : 5;
        if (dice_.one_in(6))
            head.lm_transno = dice_.number();
        if (dice_.one_in(6))
            head.lm_last_xid = dice_.number();
        if (dice_.one_in(8))
            head.lm_xid = dice_.number();
        if (dice_.one_in(10))
            head.lm_portal = uint16_t(dice_.below(64));
        return head;
    }

    std::string some_message(uint64_t handle)
    {
        std::vector<std::string> buffers(dice_.below(5));

        std::generate(buffers.begin(), buffers.end(), [&] { return some_buffer(); });
        std::string msg = message(some_head(handle), buffers);
        if (msg.size() > WIRE_MSG_MAX)
            msg.resize(WIRE_MSG_MAX);
        return msg;
    }

    void spoil(std::string& bytes, unsigned times)
    {
        while (times-- != 0 && !bytes.empty())
            bytes[dice_.below(bytes.size())] = dice_.byte();
    }

    // Requests that are well-formed but for what they say.
    void requests()
    {
        if (!greeted())
            return;
        const uint64_t handle = real_handle();
        for (auto n = dice_.below(40); n-- != 0;) {
            std::string bulk = dice_.one_in(4) ? dice_.noise(dice_.below(20000)) : "";
            if (!put_message(some_message(handle), bulk))
                break;
        }
        take_replies(unsigned(dice_.below(60)), milliseconds(50));
    }

    // The right CRC over bytes that are wrong.
    void messages()
    {
        if (!greeted())
            return;
        const uint64_t handle = dice_.one_in(2) ? real_handle() : 0;
        for (auto n = dice_.below(5); n-- != 0;) {
            std::string msg = some_message(handle);
            spoil(msg, 1 + unsigned(dice_.below(4)));
            if (dice_.one_in(4))
                msg.resize(dice_.below(msg.size() + 200) / 8 * 8);
            if (!put_message(msg))
                break;
        }
        take_replies(5, milliseconds(20));
    }

    void heads()
    {
        if (!greeted())
            return;
        const std::string msg = some_message(0);
        lnet_frame head = frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq());
        switch (dice_.below(9)) {
            case 0:
                head.fr_msg_len = uint32_t(dice_.number());
                break;
            case 1:
                head.fr_bulk_len = uint32_t(dice_.number());
                break;
            case 2:
                head.fr_seq += 1 + uint32_t(dice_.below(3));
                break;
            case 3:
                head.fr_type = uint8_t(dice_.byte());
                break;
            case 4:
                head.fr_flags = uint16_t(dice_.number());
                break;
            case 5:
                head.fr_msg_crc ^= 1U << dice_.below(32);
                break;
            case 6:
                head.fr_magic ^= 1U << dice_.below(32);
                break;
            case 7:
                head.fr_version = uint8_t(dice_.byte());
                break;
            default:
                head.fr_bulk_crc = uint32_t(dice_.number());
                break;
        }
        if (!dice_.one_in(4))
            seal(head);
        put(bytes_of(head) + msg);
        take_replies(1, milliseconds(20));
    }

    void hellos()
    {
        if (!connect())
            return;
        lnet_hello hello = conn_.hello();
        std::string bytes = bytes_of(hello);
        spoil(bytes, unsigned(dice_.below(4)));
        if (dice_.one_in(3))
            bytes.resize(dice_.below(1100));
        conn_.send_frame(LNET_FRAME_HELLO, bytes, {}, milliseconds(500));
        tally_.frames++;
        if (dice_.one_in(2))
            put_message(some_message(0));
        if (conn_.hello_status(milliseconds(200)) != 0U)
            tally_.refused++;
    }

    void noise()
    {
        if (!(dice_.one_in(2) ? connect() : greeted()))
            return;
        put(dice_.noise(dice_.below(100000)));
        take_replies(1, milliseconds(20));
    }

    // Much is announced, little comes.
    void bulks()
    {
        if (!greeted())
            return;
        const uint64_t handle = real_handle();
        lustre_brw brw{1, dice_.below(1 << 20), WIRE_BULK_MAX, 0};
        const std::string msg =
            message(request(OST_WRITE, OST_IO_PORTAL, next_xid(), handle), {bytes_of(brw)});
        lnet_frame head = frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq());
        head.fr_bulk_len = WIRE_BULK_MAX;
        head.fr_bulk_crc = uint32_t(dice_.number());
        seal(head);
        put(bytes_of(head) + msg + dice_.noise(dice_.below(5000)));
        std::this_thread::sleep_for(milliseconds(dice_.below(500)));
    }

    void drip()
    {
        if (!greeted())
            return;
        const std::string msg = some_message(0);
        const std::string bytes =
            bytes_of(frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq())) + msg;
        tally_.frames++;
        for (size_t at = 0; at < bytes.size() && at < 100; at++) {
            if (!conn_.send(bytes.substr(at, 1), milliseconds(100)))
                return;
            std::this_thread::sleep_for(milliseconds(dice_.below(30)));
        }
        if (bytes.size() > 100)
            conn_.send(bytes.substr(100), milliseconds(500));
        take_replies(1, milliseconds(50));
    }

    // Unsolicited replies.
    void replies()
    {
        if (!greeted())
            return;
        for (auto n = 1 + dice_.below(20); n-- != 0;) {
            lustre_msg head = some_head(dice_.number());
            head.lm_type = dice_.one_in(3) ? PTL_RPC_MSG_ERR : PTL_RPC_MSG_REPLY;
            head.lm_status = dice_.one_in(3) ? uint32_t(-int(dice_.below(200))) : 0;
            if (!put_message(message(head, {some_buffer()}),
                             dice_.one_in(3) ? dice_.noise(dice_.below(70000)) : ""))
                break;
        }
    }

    // Requests whose replies are not read.
    void flood()
    {
        if (!greeted())
            return;
        const uint64_t handle = real_handle();
        const bool large = dice_.one_in(2);
        const auto end = Clock::now() + seconds(2);
        for (unsigned n = 0; n < 5000 && Clock::now() < end; n++) {
            lustre_brw brw{1, 0, large ? WIRE_BULK_MAX : 4096, 0};
            const std::string msg =
                message(request(OST_READ, OST_IO_PORTAL, next_xid(), handle), {bytes_of(brw)});
            if (!put_message(msg))
                break;
        }
        std::this_thread::sleep_for(milliseconds(dice_.below(1000)));
    }

    // The end comes in the middle.
    void resets()
    {
        if (!greeted())
            return;
        const uint64_t handle = real_handle();
        for (auto n = dice_.below(5); n-- != 0;)
            put_message(some_message(handle));
        const std::string msg = some_message(handle);
        const std::string bytes =
            bytes_of(frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq())) + msg;
        put(bytes.substr(0, dice_.below(bytes.size())));
    }

    // Connections that say nothing, or half a HELLO.
    void half_open()
    {
        std::vector<Connection> many(enemy_.half_open);
        unsigned port = unsigned(dice_.below(1021));

        for (Connection& one : many) {
            if (!one.open(enemy_.from, enemy_.to, port++, milliseconds(500))) {
                tally_.no_connection++;
                continue;
            }
            tally_.connections++;
            if (dice_.one_in(2))
                one.send(bytes_of(frame_head(LNET_FRAME_HELLO, bytes_of(one.hello()), {}, 0)) +
                             bytes_of(one.hello()).substr(0, dice_.below(80)),
                         milliseconds(100));
        }
        std::this_thread::sleep_for(seconds(2));
        for (Connection& one : many)
            one.reset();
    }

    // The faults that a test counts, one each.
    void version()
    {
        if (!connect())
            return;
        const std::string hello = bytes_of(conn_.hello());
        lnet_frame head = frame_head(LNET_FRAME_HELLO, hello, {}, 0);
        head.fr_version = WIRE_VERSION + 1;
        seal(head);
        put(bytes_of(head) + hello);
        expect_refusal();
    }

    void flipped()
    {
        if (!greeted())
            return;
        std::string msg = message(request(OBD_PING, OST_REQUEST_PORTAL, next_xid(), 0), {});
        const std::string head = bytes_of(frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq()));
        const auto bit = dice_.below(msg.size() * 8);
        msg[bit / 8] = char(msg[bit / 8] ^ (1 << bit % 8));
        put(head + msg);
        expect_refusal();
    }

    void too_long()
    {
        if (!greeted())
            return;
        const std::string msg = message(request(OBD_PING, OST_REQUEST_PORTAL, next_xid(), 0), {});
        lnet_frame head = frame_head(LNET_FRAME_MSG, msg, {}, conn_.next_seq());
        head.fr_msg_len = WIRE_MSG_MAX + 8;
        seal(head);
        put(bytes_of(head) + msg);
        expect_refusal();
    }

    // Refused, and the connection is as good as before: a ping is answered.
    void unasked()
    {
        if (!greeted())
            return;
        lustre_msg head = request(OBD_PING, OST_REQUEST_PORTAL, next_xid(), 0);
        head.lm_type = PTL_RPC_MSG_REPLY;
        put_message(message(head, {}));
        const uint64_t xid = next_xid();
        put_message(message(request(OBD_PING, OST_REQUEST_PORTAL, xid, 0), {}));
        if (conn_.receive_reply(xid, LIMIT))
            tally_.replies++;
    }

    const Enemy& enemy_;
    Tally& tally_;
    Dice dice_;
    Connection conn_;
    uint64_t xid_ = 0x5eed0000;
};

inline const std::array<Attacker::Attack, 15> Attacker::ATTACKS = {{
    {"requests", &Attacker::requests, 30},
    {"messages", &Attacker::messages, 20},
    {"heads", &Attacker::heads, 20},
    {"hellos", &Attacker::hellos, 15},
    {"noise", &Attacker::noise, 5},
    {"bulk", &Attacker::bulks, 5},
    {"drip", &Attacker::drip, 2},
    {"replies", &Attacker::replies, 10},
    {"flood", &Attacker::flood, 3},
    {"resets", &Attacker::resets, 15},
    {"half-open", &Attacker::half_open, 0},
    {"version", &Attacker::version, 2},
    {"flipped", &Attacker::flipped, 2},
    {"too-long", &Attacker::too_long, 2},
    {"unasked", &Attacker::unasked, 2},
}};

}  // namespace vm

#endif
