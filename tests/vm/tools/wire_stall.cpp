// SPDX-License-Identifier: GPL-2.0-only
//
//	wire-stall COUNT FROM TO SECONDS
//
// Connects to the node at TO as COUNT nodes of one address, FROM, which must be this
// node's: 0, 1, ... are their networks. Each node that was taken sends half a request,
// and then nothing more: every other one half of the message, the rest half of the bulk
// data. Prints
//
//	T taken, R refused, C closed
//
// where C is how many the other node closed within SECONDS.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "wire.hpp"

namespace {

using namespace std::chrono_literals;
using vm::Clock;
using vm::Connection;
using vm::milliseconds;

constexpr size_t bulk_bytes = 1U << 20;

bool greet(Connection& connection, uint16_t network)
{
    lnet_hello hello = connection.hello();

    hello.he_src.wn_net = network;
    hello.he_dst.wn_net = network;
    return connection.send_hello(hello, 10s) && connection.hello_status(10s) == 0U;
}

bool send_half(Connection& connection, bool of_message)
{
    const std::string msg = vm::message(vm::request(OBD_PING, OST_REQUEST_PORTAL, 1, 0), {});
    const std::string bulk(bulk_bytes, 'x');
    const auto head = vm::frame_head(LNET_FRAME_MSG, msg, bulk, connection.next_seq());
    const std::string all = vm::bytes_of(head) + msg + bulk;
    const size_t begin = of_message ? sizeof(head) : sizeof(head) + msg.size();
    const size_t part = of_message ? msg.size() : bulk.size();

    return connection.send(all.substr(0, begin + part / 2), 10s);
}

template <typename Number>
bool number(const char* text, Number& to)
{
    return std::from_chars(text, text + std::strlen(text), to).ec == std::errc();
}

}  // namespace

int main(int argc, char** argv)
{
    sockaddr_in to{};
    in_addr from{};
    unsigned count = 0;
    unsigned seconds = 0;
    unsigned taken = 0;
    unsigned closed = 0;

    to.sin_family = AF_INET;
    to.sin_port = htons(WIRE_PORT);
    if (argc != 5 || !number(argv[1], count) || ::inet_pton(AF_INET, argv[2], &from) != 1 ||
        ::inet_pton(AF_INET, argv[3], &to.sin_addr) != 1 || !number(argv[4], seconds)) {
        std::fputs("usage: wire-stall COUNT FROM TO SECONDS\n", stderr);
        return 2;
    }
    std::vector<Connection> all(count);
    std::vector<Connection*> stalled;
    for (unsigned n = 0; n < count; n++) {
        if (!all[n].open(from, to, n, 10s)) {
            std::fputs("wire-stall: cannot connect\n", stderr);
            return 1;
        }
        if (!greet(all[n], static_cast<uint16_t>(n)))
            continue;
        taken++;
        if (send_half(all[n], n % 2 == 0))
            stalled.push_back(&all[n]);
    }
    const auto end = Clock::now() + std::chrono::seconds(seconds);
    for (Connection* connection : stalled) {
        const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
        closed += connection->closed(std::max(left, milliseconds(1))) ? 1 : 0;
    }
    std::printf("%u taken, %u refused, %u closed\n", taken, count - taken, closed);
    return 0;
}
