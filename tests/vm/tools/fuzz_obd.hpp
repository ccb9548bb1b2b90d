// SPDX-License-Identifier: GPL-2.0-only
// Commands and references for object devices that make sense now and then.
#ifndef VM_TOOLS_FUZZ_OBD_HPP
#define VM_TOOLS_FUZZ_OBD_HPP

#include "fuzz.hpp"
#include "obd.hpp"

namespace vm {

constexpr std::array FUZZ_TYPES = {"obdecho", "echo_client", "osc", "mdc", "lov", "lmv"};

constexpr std::array<uint32_t, 24> FUZZ_COMMANDS = {
    LCFG_ATTACH,   LCFG_ATTACH,      LCFG_ATTACH,           LCFG_DETACH,      LCFG_DETACH,
    LCFG_SETUP,    LCFG_SETUP,       LCFG_CLEANUP,          LCFG_CLEANUP,     LCFG_ADD_UUID,
    LCFG_DEL_UUID, LCFG_MOUNTOPT,    LCFG_DEL_MOUNTOPT,     LCFG_SET_TIMEOUT, LCFG_ADD_CONN,
    LCFG_DEL_CONN, LCFG_LOV_ADD_OBD, LCFG_LOV_DEL_OBD,      LCFG_PARAM,       LCFG_ADD_MDC,
    LCFG_DEL_MDC,  LCFG_POOL_NEW,    LCFG_SET_LDLM_TIMEOUT, LCFG_MARKER,
};

constexpr std::array FUZZ_WORDS = {"",
                                   "0",
                                   "1",
                                   "0@lo",
                                   "1.2.3.4@tcp",
                                   "F",
                                   "A",
                                   "lov.stripesize=65536",
                                   "osc.active=0",
                                   "sys.timeout=30",
                                   "fuzz-node",
                                   "-1",
                                   "4294967295",
                                   "x=",
                                   "="};

inline std::string fuzz_name(Dice& dice)
{
    return dice.one_in(20) ? dice.noise(dice.below(200)) : "fuzz" + std::to_string(dice.below(6));
}

inline std::string fuzz_uuid(Dice& dice)
{
    return dice.one_in(3) ? fuzz_name(dice) : fuzz_name(dice) + "_UUID";
}

// A text into a field, where it may lack its NUL.
template <size_t N>
void fuzz_put(char (&field)[N], const std::string& text)
{
    std::memcpy(field, text.data(), std::min(text.size(), N));
}

inline std::string fuzz_argument(Dice& dice)
{
    switch (dice.below(5)) {
        case 0:
            return dice.pick(FUZZ_TYPES);
        case 1:
            return fuzz_uuid(dice);
        case 2:
            return fuzz_name(dice);
        case 3:
            return dice.pick(FUZZ_WORDS);
        default:
            return dice.noise(dice.below(100));
    }
}

// The bytes of a lustre_cfg, every third with some of them changed.
inline std::string fuzz_command(Dice& dice)
{
    const uint32_t what =
        dice.one_in(30) ? static_cast<uint32_t>(dice.number()) : dice.pick(FUZZ_COMMANDS);
    Command command(what, fuzz_name(dice));

    if (what == LCFG_ATTACH) {
        command.text(dice.pick(FUZZ_TYPES)).text(fuzz_uuid(dice));
    } else {
        for (uint64_t n = dice.below(dice.one_in(10) ? 9 : 4); n; n--)
            command.text(fuzz_argument(dice));
    }
    command.number(static_cast<uint32_t>(dice.number()));
    std::string bytes = command.bytes();
    for (uint64_t n = dice.one_in(3) ? dice.below(6) : 0; n; n--)
        bytes[dice.below(bytes.size())] = dice.byte();
    return bytes;
}

inline void fuzz_device(Dice& dice, obd_ioc_device& od)
{
    od.od_index = dice.one_in(2) ? OBD_INDEX_NONE : static_cast<uint32_t>(dice.below(8));
    if (dice.one_in(2))
        fuzz_put(od.od_name, fuzz_name(dice));
    else
        fuzz_put(od.od_uuid, fuzz_uuid(dice));
}

inline void fuzz_import(Dice& dice, obd_ioc_import& oi)
{
    oi.oi_index = static_cast<uint32_t>(dice.below(8));
    oi.oi_op = static_cast<uint32_t>(dice.below(5));
    if (dice.one_in(3))
        fuzz_put(oi.oi_uuid, fuzz_uuid(dice));
}

}  // namespace vm

#endif
