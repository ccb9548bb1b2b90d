/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The release, for the modules and for the tools. CMakeLists.txt parses the
 * line of LUSTRE_LITE_VERSION: it must be the only one of its form.
 */
#ifndef _LUSTRE_LITE_VERSION_H
#define _LUSTRE_LITE_VERSION_H

#define LUSTRE_LITE_VERSION "0.1.0"

#endif /* _LUSTRE_LITE_VERSION_H */
