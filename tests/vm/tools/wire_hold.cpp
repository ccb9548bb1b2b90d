// SPDX-License-Identifier: GPL-2.0-only
//
//	wire-hold COUNT FROM TO
//
// Connects to the node at TO as COUNT nodes, of the addresses FROM and those that
// follow, which must be this node's; each says hello, and nothing more. Prints how
// many the node took, and holds them until it is killed. Status 1 when the node did
// not take all.

#include <charconv>
#include <cstdio>
#include <cstring>
#include <vector>

#include "wire.hpp"

int main(int argc, char** argv)
{
    using namespace std::chrono_literals;
    sockaddr_in to{};
    in_addr from{};
    unsigned count = 0;

    to.sin_family = AF_INET;
    to.sin_port = htons(WIRE_PORT);
    if (argc != 4 ||
        std::from_chars(argv[1], argv[1] + std::strlen(argv[1]), count).ec != std::errc() ||
        ::inet_pton(AF_INET, argv[2], &from) != 1 ||
        ::inet_pton(AF_INET, argv[3], &to.sin_addr) != 1) {
        std::fputs("usage: wire-hold COUNT FROM TO\n", stderr);
        return 2;
    }
    std::vector<vm::Connection> held(count);
    for (unsigned n = 0; n < count; n++) {
        const in_addr address{htonl(ntohl(from.s_addr) + n)};
        if (!held[n].open(address, to, n, 10s) || !held[n].greet(10s)) {
            std::printf("%u\n", n);
            return 1;
        }
    }
    std::printf("%u\n", count);
    std::fflush(stdout);
    for (;;)
        ::pause();
}
