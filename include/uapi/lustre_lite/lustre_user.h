/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * Calls of users of files, on any file or directory of a client mount. Numbers and values are real
 * Lustre's, but for LL_IOC_TARGET and LL_IOC_ROOT_DEFAULT.
 *
 * A layout is in the format of trusted.lov, see lustre_ea.h. In the layout that a user asks for
 *
 *	lmm_stripe_size		0: the default
 *	lmm_stripe_count	0: the default; 0xffff: all OSTs
 *	lmm_layout_gen		index of the first OST; 0xffff: any
 *
 * and LOV_USER_MAGIC_SPECIFIC lists the OSTs. The attribute lustre.lov has the same value.
 */
#ifndef _UAPI_LUSTRE_LITE_LUSTRE_USER_H
#define _UAPI_LUSTRE_LITE_LUSTRE_USER_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "check.h"
#include "lustre_ea.h"

/* Longest name of a device, with its NUL. */
#define MAX_OBD_NAME		128

#define LOV_USER_MAGIC_SPECIFIC	LOV_MAGIC_SPECIFIC

/*
 * Flags of open(2): the file is created without a layout, so that LL_IOC_LOV_SETSTRIPE can give it
 * one. fcntl.h defines the two.
 */
#define O_LOV_DELAY_CREATE	(O_NOCTTY | FASYNC)

#define LL_XATTR_NAME_LOV	"lustre.lov"
/*
 * Set on a composite file, with a struct lov_comp_md_v1: add its components after the last one;
 * remove the components that its first entry stands for, by lcme_id or by lcme_flags (LCME_FL_INIT,
 * with LCME_FL_NEG for those without objects), which are the last ones and have no objects.
 */
#define LL_XATTR_NAME_LOV_ADD	"lustre.lov.add"
#define LL_XATTR_NAME_LOV_DEL	"lustre.lov.del"
/* The FID, a struct ll_user_fid, also of files that must not be opened; lustre-lite's own. */
#define LL_XATTR_NAME_FID	"lustre.fid"

/* open(2) with O_CREAT of a name that starts with it creates a file without a name. */
#define LUSTRE_VOLATILE_HDR	".\x0c\x13\x14\x12:VOLATILE"

/* Name of the data volume's device, FSNAME-clilov-INSTANCE, and of the metadata volume's. */
#define OBD_IOC_GETDTNAME	_IOR('f', 127, char[MAX_OBD_NAME])
#define OBD_IOC_GETMDNAME	_IOR('f', 131, char[MAX_OBD_NAME])

/*
 * The layout of a file that has none yet and is open for writing, or the default of a directory.
 * An empty default (0, 0, 0xffff) removes it.
 */
#define LL_IOC_LOV_SETSTRIPE	_IOW('f', 154, long)
/*
 * The layout of a file, or the default of a directory. The caller's buffer starts with a
 * struct lov_mds_md whose magic and stripe count say how many objects fit. -EOVERFLOW: the start
 * was written, and has the true count.
 */
#define LL_IOC_LOV_GETSTRIPE	_IOW('f', 155, long)
/*
 * A path of an object: struct getinfo_fid2path. -EPERM: without CAP_DAC_READ_SEARCH, and the mount
 * has no option user_fid2path; -EINVAL: the FID is not one of a file; -ENOENT: there is no such
 * object, or it has lost its last name; -ENODATA: it has no name of this number; -EOVERFLOW: the
 * path is longer than gf_pathlen; -E2BIG: gf_pathlen is more than 4096.
 */
#define OBD_IOC_FID2PATH	_IOWR('f', 150, long)
/* The FID, a struct ll_user_fid. */
#define LL_IOC_PATH2FID		_IOR('f', 173, long)

/*
 * The layout of a name in a directory, or its default: in: the name; out: as of the attribute
 * lustre.lov.
 */
#define IOC_MDC_GETFILESTRIPE	_IOWR('i', 21, long)
/* Out: flags of the connection to MDT0000, a __u64: OBD_CONNECT_*. -ENODATA: there was none yet. */
#define LL_IOC_GET_CONNECT_FLAGS _IOWR('f', 174, __u64)
/* The index of the metadata target that has an object, an int. */
#define LL_IOC_GET_MDTIDX	_IOR('f', 175, int)
/* In: an int, 0: OSTs, 1: MDTs; out: the highest index of a target of the file system, and 1. */
#define LL_IOC_GETOBDCOUNT	_IOR('f', 168, int)
/*
 * In: a FID; the result of the call is the index of the metadata target that has it. -EINVAL: it is
 * not one of a file or directory.
 */
#define LL_IOC_FID2MDTIDX	_IOWR('f', 248, struct ll_user_fid)
/*
 * A name of the object, and its directory: struct getparent. -EPERM: as OBD_IOC_FID2PATH; -ENODATA:
 * it has no name of this number; -EOVERFLOW: the name is longer than gp_name_size; -ENAMETOOLONG:
 * gp_name_size is more than 4096.
 */
#define LL_IOC_GETPARENT	_IOWR('f', 249, struct getparent)
/*
 * The free space of a target: struct obd_ioctl_data. -ENODEV: there is none from that index on;
 * -EAGAIN: there is none of that index; -ENODATA: it is deactivated; -ENOTCONN: it is down.
 */
#define IOC_OBD_STATFS		_IOWR('f', 164, struct ll_user_statfs)

/* The first number of IOC_OBD_STATFS. */
#define LL_STATFS_LMV		1
#define LL_STATFS_LOV		2

/**
 * struct obd_ioctl_data - argument of IOC_OBD_STATFS, and of other calls of real Lustre
 * @ioc_len: bytes of this and of what follows
 * @ioc_version: not used
 * @ioc_unused: not used
 * @ioc_plen1: bytes at @ioc_pbuf1: those of struct ll_user_statfs
 * @ioc_padding1: not used
 * @ioc_pbuf1: address: out: free space
 * @ioc_plen2: bytes at @ioc_pbuf2, at least 40
 * @ioc_padding2: not used
 * @ioc_pbuf2: address: out: uuid of the target, also if it has no free space to tell
 * @ioc_inl: what follows, each at a multiple of 8 bytes: LL_STATFS_*, a __u32; index, a __u32
 */
struct obd_ioctl_data {
	__u32	ioc_len;
	__u32	ioc_version;
	__u8	ioc_unused[472];
	__u32	ioc_plen1;
	__u32	ioc_padding1;
	__u64	ioc_pbuf1;
	__u32	ioc_plen2;
	__u32	ioc_padding2;
	__u64	ioc_pbuf2;
	struct {
		__u32	len;
		__u32	padding;
		__u64	address;
	} ioc_inl[4];
};

/* State of a target: new files avoid it; its file system is read-only. */
#define OS_STATFS_DEGRADED	0x1
#define OS_STATFS_READONLY	0x2

/**
 * struct ll_user_statfs - free space of a target
 * @os_type: magic number of its file system
 * @os_blocks: blocks
 * @os_bfree: free blocks
 * @os_bavail: free blocks for unprivileged users
 * @os_files: inodes
 * @os_ffree: free inodes
 * @os_fsid: zero
 * @os_bsize: bytes of a block
 * @os_namelen: longest name
 * @os_maxbytes: zero
 * @os_state: OS_STATFS_*
 * @os_fprecreated: zero
 * @os_granted: zero
 * @os_spare: zero
 */
struct ll_user_statfs {
	__u64	os_type;
	__u64	os_blocks;
	__u64	os_bfree;
	__u64	os_bavail;
	__u64	os_files;
	__u64	os_ffree;
	__u8	os_fsid[40];
	__u32	os_bsize;
	__u32	os_namelen;
	__u64	os_maxbytes;
	__u32	os_state;
	__u32	os_fprecreated;
	__u32	os_granted;
	__u32	os_spare[7];
};

/*
 * The number of the content of a file: struct ioc_data_version. What other clients have changed is
 * written before. Numbers are those of this client, while the file is open.
 */
#define LL_IOC_DATA_VERSION	_IOR('f', 218, struct ioc_data_version)
/*
 * The file gets the objects of another one, which is open for writing without a name, and has a
 * copy of its content: struct lustre_swap_layouts. The copy is on disk before. -EAGAIN: the content
 * of the file has changed since sl_dv1, or may have: nothing is changed; -EINVAL: other flags,
 * files with names, the same file; -EXDEV: another file system; -EBADF: sl_fd is not open for
 * writing; -EACCES: the caller may not write to the file; -ENODATA: one of the two has no layout;
 * -ENOTCONN: the metadata target is not connected, or restarted meanwhile, and the layouts may be
 * swapped or not.
 */
#define LL_IOC_LOV_SWAP_LAYOUTS	_IOW('f', 219, struct lustre_swap_layouts)

/* sl_flags: sl_dv1 is that of the file. It has to be given */
#define SWAP_LAYOUTS_CHECK_DV1	0x1

/* idv_flags: other clients write what they have changed. Other flags are permitted, too */
#define LL_DV_RD_FLUSH		0x1
#define LL_DV_WR_FLUSH		0x2

/**
 * struct ioc_data_version - the number of a content
 * @idv_version: out: number
 * @idv_layout_version: out: zero
 * @idv_flags: in: LL_DV_*
 */
struct ioc_data_version {
	__u64	idv_version;
	__u32	idv_layout_version;
	__u32	idv_flags;
};

/**
 * struct lustre_swap_layouts - two files that swap their layouts
 * @sl_flags: SWAP_LAYOUTS_CHECK_DV1
 * @sl_fd: the other file
 * @sl_gid: not used
 * @sl_dv1: number of the content of the file when the copy was started
 * @sl_dv2: not used
 */
struct lustre_swap_layouts {
	__u64	sl_flags;
	__u32	sl_fd;
	__u32	sl_gid;
	__u64	sl_dv1;
	__u64	sl_dv2;
};

/**
 * struct ll_user_fid - a FID, in the byte order of the processor
 * @f_seq: sequence
 * @f_oid: number in the sequence
 * @f_ver: version
 */
struct ll_user_fid {
	__u64	f_seq;
	__u32	f_oid;
	__u32	f_ver;
};

/**
 * struct getinfo_fid2path - a name of an object
 * @gf_fid: in: FID
 * @gf_recno: not used
 * @gf_linkno: in: number of the name, from 0; out: that of the next name, or the same
 * @gf_pathlen: in: bytes of @gf_path
 * @gf_path: out: path below the root, with a NUL and without a '/' before it; of the root "/"
 */
struct getinfo_fid2path {
	struct ll_user_fid	gf_fid;
	__u64			gf_recno;
	__u32			gf_linkno;
	__u32			gf_pathlen;
	char			gf_path[];
};

/**
 * struct getparent - a name of an object
 * @gp_fid: out: FID of the directory
 * @gp_linkno: in: number of the name, from 0
 * @gp_name_size: in: bytes of @gp_name
 * @gp_name: out: name, with a NUL
 */
struct getparent {
	struct ll_user_fid	gp_fid;
	__u32			gp_linkno;
	__u32			gp_name_size;
	char			gp_name[];
};

/* lt_type */
#define LL_TARGET_MDT		1
#define LL_TARGET_OST		2

/**
 * struct ll_user_target - a target of the file system, and its free space
 * @lt_type: in: LL_TARGET_*
 * @lt_index: in: index to start at; out: index of the first target from there on
 * @lt_error: out: 0; ENODATA: the target is deactivated; another errno: it cannot be reached
 * @lt_bsize: out: bytes of a block; with @lt_error this and all but @lt_uuid are zero
 * @lt_blocks: out: blocks
 * @lt_bfree: out: free blocks
 * @lt_bavail: out: free blocks for unprivileged users
 * @lt_files: out: inodes
 * @lt_ffree: out: free inodes
 * @lt_state: out: OS_STATFS_*
 * @lt_reserved: zero
 * @lt_uuid: out: uuid, NUL-terminated
 */
struct ll_user_target {
	__u32	lt_type;
	__u32	lt_index;
	__u32	lt_error;
	__u32	lt_bsize;
	__u64	lt_blocks;
	__u64	lt_bfree;
	__u64	lt_bavail;
	__u64	lt_files;
	__u64	lt_ffree;
	__u32	lt_state;
	__u32	lt_reserved;
	char	lt_uuid[40];
};

/* A target. -ENODEV: there is none from that index on. */
#define LL_IOC_TARGET		_IOWR(0xbd, 1, struct ll_user_target)
/*
 * As LL_IOC_LOV_GETSTRIPE of the root of the file system, which the mount may not have. Return:
 * bytes of the layout.
 */
#define LL_IOC_ROOT_DEFAULT	_IOWR(0xbd, 2, struct lov_mds_md)

LL_UAPI_ASSERT(sizeof(struct obd_ioctl_data) == 576);
LL_UAPI_ASSERT(sizeof(struct ll_user_statfs) == 144);
LL_UAPI_ASSERT(sizeof(struct ioc_data_version) == 16);
LL_UAPI_ASSERT(sizeof(struct lustre_swap_layouts) == 32);
LL_UAPI_ASSERT(sizeof(struct ll_user_fid) == 16);
LL_UAPI_ASSERT(sizeof(struct getinfo_fid2path) == 32);
LL_UAPI_ASSERT(sizeof(struct getparent) == 24);
LL_UAPI_ASSERT(sizeof(struct ll_user_target) == 104);

#endif /* _UAPI_LUSTRE_LITE_LUSTRE_USER_H */
