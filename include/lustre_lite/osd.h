/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Object storage device: objects of a server in a directory of a local file system.
 *
 *	MDT	ROOT/...  the tree: names, owners, modes, times, ACLs, attributes as they are
 *		PENDING/0 .. PENDING/1f/FID  objects without a name
 *		lov_objid  the highest number of an object that each OST gave to the MDT
 *	OST	O/0/LAST_ID, O/0/d0 .. O/0/d31/ID
 *
 * Every object has its FID in trusted.lma. There is no index: a client names an object by its
 * FID and a hint, the file handle of the backend, which osd_object_locate() decodes and checks
 * against trusted.lma. So a forged or stale hint is -ESTALE, and never another object.
 *
 * Identity: operations run with the credentials of the calling task, and the backend checks
 * permissions by them. A server of clients overrides its own by those of osd_cred_get() around
 * a call. The attributes that make an object what it is (struct osd_xattr in struct osd_create
 * and others, trusted.lma) need no permission.
 *
 * Order: a change calls osd_stamp.osp_fn once it has succeeded, under the lock that orders it
 * (i_rwsem of the parents, or of the object), where the caller takes the number of its
 * transaction. osp_fn does not sleep for long and takes no lock of the backend.
 *
 * Durability: no operation waits for the disk. osd_commit() makes all that came before it
 * survive a power cut, and with it the number of the last transaction.
 *
 * Context: every function may sleep, and does I/O. None is called under a spinlock, or under
 * i_rwsem of an inode of the backend. Errors are those of the backend's file system unless a
 * function says otherwise.
 */
#ifndef _LUSTRE_LITE_OSD_H
#define _LUSTRE_LITE_OSD_H

#include <linux/bvec.h>
#include <linux/dcache.h>
#include <linux/types.h>

#include <lustre_lite/lustre_fid.h>

struct cred;
struct iattr;
struct iov_iter;
struct kstat;
struct kstatfs;
struct obd_why;
struct osd_device;
struct path;

/* The purpose of a directory. */
enum osd_kind {
	OSD_KIND_MDT,
	OSD_KIND_OST,
};

/**
 * osd_device_open() - open the directory of a target, and create what it lacks
 * @path: directory; the device holds references of its own. The caller has claimed it
 * @kind: what it is for
 * @name: name of the target, for messages; copied
 * @why: out: reason of a refusal
 *
 * Refused: a file system without file handles, without trusted.* attributes, of another node,
 * or mounted read-only or with an id mapping; a case-insensitive directory.
 *
 * Return: the device, for osd_device_close(); or an ERR_PTR
 */
struct osd_device *osd_device_open(const struct path *path, enum osd_kind kind, const char *name,
				   struct obd_why *why);
/* No object of the device is located any more. NULL is permitted. */
void osd_device_close(struct osd_device *osd);

/* Whether a power cut leaves what was committed: false on tmpfs. Any context. */
bool osd_device_durable(const struct osd_device *osd);

/**
 * osd_thread_start() - prepare a kernel thread for changes
 *
 * Kernel threads share one umask, which file systems apply to new files. Before a thread calls
 * osd_create() or osd_ost_create(); the next calls cost nothing.
 *
 * Return: 0 or -ENOMEM
 */
int osd_thread_start(void);

/* --- identities ----------------------------------------------------------------------- */

/**
 * struct osd_ident - on whose behalf an operation runs
 * @oid_uid: user, a number of the initial user namespace
 * @oid_gid: group
 * @oid_caps: capabilities, a bit each; only those that concern files count
 * @oid_nr_groups: number of @oid_groups
 * @oid_groups: supplementary groups
 */
struct osd_ident {
	u32		oid_uid;
	u32		oid_gid;
	u64		oid_caps;
	u32		oid_nr_groups;
	const u32	*oid_groups;
};

/**
 * osd_cred_get() - credentials for an identity
 * @osd: device, which caches them
 * @id: identity
 *
 * Return: credentials for override_creds(), with a reference for put_cred(); -ENOMEM; -EINVAL
 *  for more groups than a task may have, or an invalid id
 */
const struct cred *osd_cred_get(struct osd_device *osd, const struct osd_ident *id);

/* --- objects -------------------------------------------------------------------------- */

#define OSD_HINT_WORDS	7

/**
 * struct osd_hint - where an object is: a file handle of the backend
 * @oh_type: its type; 0: no hint
 * @oh_words: number of words in use
 * @oh_zero: zero
 * @oh_word: bytes that only this server reads
 */
struct osd_hint {
	u8	oh_type;
	u8	oh_words;
	u8	oh_zero[2];
	u32	oh_word[OSD_HINT_WORDS];
};

/**
 * struct osd_object - an object, embedded by its owner
 * @oo_osd: its device
 * @oo_fid: its FID
 * @oo_dentry: its inode by a dentry, perhaps a disconnected one; referenced. NULL: not located
 * @oo_file: opened for data by the first read or write; referenced, or NULL
 *
 * A located object holds one reference on the dentry, and one on the file. osd_object_fini()
 * drops them; no operation on the object runs then. While an object is located its inode
 * stays, also without a name.
 */
struct osd_object {
	struct osd_device	*oo_osd;
	struct lu_fid		oo_fid;
	struct dentry		*oo_dentry;
	struct file		*oo_file;
};

/**
 * osd_object_locate() - find an object by FID and hint
 * @osd: device
 * @obj: out
 * @fid: FID
 * @hint: hint, from a peer
 *
 * Return: 0; -ESTALE: the hint does not lead to an object with this FID
 */
int osd_object_locate(struct osd_device *osd, struct osd_object *obj, const struct lu_fid *fid,
		      const struct osd_hint *hint);
/* The root of the tree of an MDT. Return: 0 or a negative errno */
int osd_object_root(struct osd_device *osd, struct osd_object *obj);
/* Return: 0; -EOVERFLOW: the backend's file handles do not fit a hint */
int osd_object_hint(const struct osd_object *obj, struct osd_hint *hint);
/**
 * osd_dir_path() - path of a directory of an MDT
 * @dir: directory
 * @buf: memory
 * @size: its bytes; the path of the target's directory has to fit, too
 *
 * The client needs permission to search each directory above it.
 *
 * Return: path below the root, in @buf, "" of the root; or an ERR_PTR: -ENOENT: it was removed;
 *  -EACCES; -ENAMETOOLONG; -ENOTDIR; -ESTALE: it is not in the tree
 */
char *osd_dir_path(const struct osd_object *dir, char *buf, size_t size);
/* @to becomes what @from was; @from is not located any more. */
void osd_object_move(struct osd_object *to, struct osd_object *from);
/* Drop the references; of an object that is not located, too. */
void osd_object_fini(struct osd_object *obj);

/* --- names ---------------------------------------------------------------------------- */

/**
 * struct osd_xattr - an attribute
 * @ox_name: name, with its prefix
 * @ox_value: value
 * @ox_len: its bytes
 */
struct osd_xattr {
	const char	*ox_name;
	const void	*ox_value;
	size_t		ox_len;
};

/* struct osd_times - times of an object, as they are to be */
struct osd_times {
	struct timespec64	ot_mtime;
	struct timespec64	ot_ctime;
};

/**
 * struct osd_xattrs - attributes that a change sets in the same step, before others see it
 * @oxs_list: attributes
 * @oxs_nr: their number
 * @oxs_keep_ctime: the ctime of the object stays; xfs may lose that in a power cut
 * @oxs_times: times that the object gets besides, or NULL; likewise
 */
struct osd_xattrs {
	const struct osd_xattr	*oxs_list;
	u32			oxs_nr;
	bool			oxs_keep_ctime;
	const struct osd_times	*oxs_times;
};

/**
 * struct osd_stamp - the caller's part in the order of changes, or NULL where it has none
 * @osp_fn: called once, only if the change is made, under the lock that orders it
 */
struct osd_stamp {
	void (*osp_fn)(struct osd_stamp *stamp);
};

/**
 * osd_lookup() - look a name up
 * @dir: directory
 * @name: name; "." and ".." are refused (-EACCES)
 * @child: out; after -EREMOTE its oo_fid only
 *
 * A name without a FID, as an interrupted create or a copied tree leaves it, is adopted: it
 * gets a FID made from its inode. Files with data are not, as objects hold data.
 *
 * Return: 0; -ENOENT; -EIO: a file with data and without a FID; -EUCLEAN: its trusted.lma is
 *  malformed; -EREMOTE: it stands for an object of another target; -EOPNOTSUPP: trusted.lma has
 *  a flag of an object that is not served, such as an encrypted one
 */
int osd_lookup(struct osd_object *dir, const struct qstr *name, struct osd_object *child);

/* enum osd_create_flags - see struct osd_create */
enum osd_create_flags {
	OSD_CREATE_REPLAY	= 1,	/* a name without a FID is the one left by this create */
};

/**
 * struct osd_create - a new object
 * @ocr_fid: its FID
 * @ocr_mode: type and permissions
 * @ocr_umask: umask of the client; not applied where the directory has a default ACL
 * @ocr_rdev: of a device node
 * @ocr_link: of a symbolic link: its target
 * @ocr_flags: enum osd_create_flags
 * @ocr_xattrs: attributes besides trusted.lma
 */
struct osd_create {
	struct lu_fid		ocr_fid;
	umode_t			ocr_mode;
	u16			ocr_umask;
	dev_t			ocr_rdev;
	const char		*ocr_link;
	u32			ocr_flags;
	struct osd_xattrs	ocr_xattrs;
};

/**
 * osd_create() - create a file, directory, symbolic link or node
 * @dir: directory
 * @name: name
 * @oc: what
 * @stamp: order
 * @child: out: the new object; or, after -EEXIST, the one that has the name: a replay compares
 *	its FID
 *
 * Context: as others; a thread of osd_thread_start()
 * Return: 0: it is there with all attributes; -EEXIST; after another errno it is not there
 */
int osd_create(struct osd_object *dir, const struct qstr *name, const struct osd_create *oc,
	       struct osd_stamp *stamp, struct osd_object *child);

/* --- links ---------------------------------------------------------------------------- */

/*
 * If the attributes cannot be set, the change of the name stands and the log says so: the list of
 * names may then be wrong, which its readers check.
 */

/* enum osd_remove_flags - see osd_unlink() and struct osd_rename */
enum osd_remove_flags {
	OSD_REMOVE_DIR		= 1,	/* the name is that of a directory */
	OSD_REMOVE_PENDING	= 2,	/* a file that loses its last name goes to PENDING */
};

/**
 * osd_link() - give an object another name
 * @obj: object, not a directory
 * @dir: directory
 * @name: name
 * @xattrs: attributes of @obj to set with it, or NULL: its list of names
 * @stamp: order
 *
 * Return: 0; -EEXIST: an object has the name, maybe @obj
 */
int osd_link(struct osd_object *obj, struct osd_object *dir, const struct qstr *name,
	     const struct osd_xattrs *xattrs, struct osd_stamp *stamp);

/**
 * osd_unlink() - remove a name
 * @dir: directory
 * @name: name
 * @victim: the object that has it
 * @flags: enum osd_remove_flags
 * @xattrs: attributes of @victim to set with it, or NULL: its list of names
 * @stamp: order
 *
 * The caller excludes other links and unlinks of @victim, so that its count of names stays.
 *
 * Return: 0; 1: the object is in PENDING now, without another name; -ENOENT; -ESTALE: the name
 *  is that of another object; -EISDIR, -ENOTDIR
 */
int osd_unlink(struct osd_object *dir, const struct qstr *name, struct osd_object *victim,
	       u32 flags, const struct osd_xattrs *xattrs, struct osd_stamp *stamp);

/**
 * struct osd_rename - a rename
 * @orn_from: directory of the old name
 * @orn_from_name: old name
 * @orn_obj: the object that has it
 * @orn_to: directory of the new name
 * @orn_to_name: new name
 * @orn_victim: the object that has the new name, or NULL: it must not exist
 * @orn_flags: enum osd_remove_flags, for @orn_victim
 * @orn_xattrs: attributes of @orn_obj to set with it
 */
struct osd_rename {
	struct osd_object	*orn_from;
	struct qstr		orn_from_name;
	struct osd_object	*orn_obj;
	struct osd_object	*orn_to;
	struct qstr		orn_to_name;
	struct osd_object	*orn_victim;
	u32			orn_flags;
	struct osd_xattrs	orn_xattrs;
};

/**
 * osd_rename() - rename an object, replacing another one
 * @ren: what
 * @stamp: order
 *
 * The caller excludes other links and unlinks of both objects.
 *
 * Return: 0; 1: the victim is in PENDING now, without another name; -ENOENT; -EEXIST; -ESTALE: a
 *  name is that of another object; -EINVAL: a directory would be its own parent; -ENOTEMPTY
 */
int osd_rename(const struct osd_rename *ren, struct osd_stamp *stamp);

/**
 * osd_pending_create() - create an object without a name, in PENDING
 * @osd: device
 * @oc: what: a file
 * @stamp: order
 * @child: out, as of osd_create()
 *
 * The client owns it; it needs no permission. A power cut may leave it with root as its owner.
 *
 * Context: as osd_create()
 * Return: as osd_create()
 */
int osd_pending_create(struct osd_device *osd, const struct osd_create *oc,
		       struct osd_stamp *stamp, struct osd_object *child);

/**
 * osd_pending_destroy() - remove an object from PENDING
 * @osd: device
 * @fid: its FID
 * @stamp: order
 *
 * Return: 0; -ENOENT: it is not there
 */
int osd_pending_destroy(struct osd_device *osd, const struct lu_fid *fid,
			struct osd_stamp *stamp);

/**
 * osd_pending_walk() - show every object in PENDING
 * @osd: device
 * @fn: called for each, without a lock; it may move the object. An errno stops the walk
 * @data: its argument
 *
 * At start, before clients. An object that a power cut left with another name keeps that
 * one only, and is not shown; neither is one that it left without a FID, which is removed. Files
 * that real Lustre has left in PENDING are moved to where they would be here, and shown; its
 * directories are removed. The log names what stays.
 *
 * Return: 0 or a negative errno
 */
int osd_pending_walk(struct osd_device *osd, int (*fn)(struct osd_object *obj, void *data),
		     void *data);

/* --- directories ---------------------------------------------------------------------- */

/**
 * struct osd_dirent - an entry of a directory
 * @ode_name: its name
 * @ode_type: DT_*
 * @ode_rc: 0, or the error of osd_lookup()
 * @ode_next: cookie of the entry after it
 * @ode_obj: the object, until the callback returns, which may move it; NULL if @ode_rc is set
 * @ode_fid: its FID, also if @ode_rc is -EREMOTE; else zero
 */
struct osd_dirent {
	struct qstr		ode_name;
	u8			ode_type;
	int			ode_rc;
	loff_t			ode_next;
	struct osd_object	*ode_obj;
	struct lu_fid		ode_fid;
};

/* An open directory, with its position. One task at a time. */
struct osd_dir;

/* Permission to read is checked. Return: for osd_dir_close(); or an ERR_PTR */
struct osd_dir *osd_dir_open(struct osd_object *obj);
void osd_dir_close(struct osd_dir *od);

/**
 * osd_dir_read() - read entries
 * @od: directory
 * @cookie: 0, or ode_next of the last entry that was taken
 * @fn: called for each entry but "." and "..", without a lock. Return: 0; 1: the entry was not
 *	taken; a negative errno
 * @data: its argument
 *
 * Continuing where the last read ended costs no seek; elsewhere a file system without stable
 * cookies (tmpfs before 6.6) shows names that were there all the time, perhaps twice.
 * Entries that are removed meanwhile are skipped.
 *
 * Return: 0: at the end; 1: @fn returned 1; a negative errno
 */
int osd_dir_read(struct osd_dir *od, loff_t cookie,
		 int (*fn)(const struct osd_dirent *ent, void *data), void *data);

/* --- attributes ----------------------------------------------------------------------- */

int osd_getattr(const struct osd_object *obj, struct kstat *stat);

/* May the client do this? @mask: MAY_READ, MAY_WRITE, MAY_EXEC. Return: 0; -EACCES and others */
int osd_permission(const struct osd_object *obj, int mask);

/**
 * osd_setattr() - change owner, mode, times or size
 * @obj: object
 * @attr: what, as notify_change() takes it, without the type in ia_mode; may be changed
 * @stamp: order
 *
 * Return: 0 or a negative errno
 */
int osd_setattr(struct osd_object *obj, struct iattr *attr, struct osd_stamp *stamp);

/**
 * osd_getxattr() - read an attribute on behalf of the client
 * @obj: object
 * @name: name; ACLs are "system.posix_acl_access" and "system.posix_acl_default"
 * @value: out
 * @size: its space; 0 asks for the length
 *
 * Return: bytes; -ENODATA; -ERANGE: @size is too small; -EACCES; -EOPNOTSUPP
 */
ssize_t osd_getxattr(const struct osd_object *obj, const char *name, void *value, size_t size);
/* Names that the client may see, each with its NUL; as listxattr(2). */
ssize_t osd_listxattr(const struct osd_object *obj, char *list, size_t size);

/**
 * osd_setxattr() - set or remove an attribute on behalf of the client
 * @obj: object
 * @xattr: attribute; a NULL value removes it
 * @flags: XATTR_CREATE or XATTR_REPLACE, or 0; 0 for ACLs
 * @stamp: order
 *
 * Return: 0; -EPERM; -EEXIST; -ENODATA; -EOPNOTSUPP; -EINVAL: not an ACL
 */
int osd_setxattr(struct osd_object *obj, const struct osd_xattr *xattr, int flags,
		 struct osd_stamp *stamp);

/* The object's own attributes, such as its layout: without checks. Return: as osd_getxattr() */
ssize_t osd_ea_get(const struct osd_object *obj, const char *name, void *value, size_t size);
int osd_ea_set(struct osd_object *obj, const struct osd_xattrs *xattrs, struct osd_stamp *stamp);

/* Target of a symbolic link, with a NUL. Return: bytes without it; -ERANGE; -EINVAL */
ssize_t osd_readlink(const struct osd_object *obj, char *buf, size_t size);

int osd_statfs(struct osd_device *osd, struct kstatfs *st);

/* --- data ----------------------------------------------------------------------------- */

/* Most parts of a read. */
#define OSD_READ_PARTS(pos, len)	DIV_ROUND_UP(offset_in_page(pos) + (len), PAGE_SIZE)

/**
 * osd_read() - read a file
 * @obj: file
 * @pos: offset
 * @len: bytes
 * @vec: out: @nr parts, up to OSD_READ_PARTS(), each with a reference on its page
 * @nr: out, also on failure; unchanged if the file cannot be opened
 *
 * Nothing is copied: the pages are those of the backend's cache. A later write changes them.
 *
 * The first read or write opens the file with the credentials of the kernel.
 *
 * Return: bytes, fewer than asked for at the end of the file only; or a negative errno
 */
ssize_t osd_read(struct osd_object *obj, loff_t pos, size_t len, struct bio_vec *vec,
		 unsigned int *nr);
/*
 * Write from @iter, ITER_SOURCE. Writes are ordered by the locks of clients, so there is no stamp.
 * The caller's thread has PF_LOCAL_THROTTLE if it writes for a client of this node.
 * Return: 0: all bytes; -ENOSPC and others: any part of them may be written
 */
int osd_write(struct osd_object *obj, struct iov_iter *iter, loff_t pos);
/*
 * fallocate(2); @mode: FALLOC_FL_*. A hole may end beyond the largest offset of the backend.
 * Return: 0; -EOPNOTSUPP: not by this backend, or not in that mode; -EFBIG; -ENOSPC: any part of it
 * may be done
 */
int osd_fallocate(struct osd_object *obj, int mode, loff_t pos, loff_t len);
/* The largest offset of a file. Any context. */
u64 osd_size_max(const struct osd_device *osd);
/*
 * Bytes of a range that have no space in the backend yet. By blocks, if the range is not long and
 * the backend can tell; else a file is taken to have its space from its start on.
 */
u64 osd_holes(struct osd_object *obj, loff_t pos, loff_t len);
/*
 * lseek(2), without a position that stays: the first one from @pos on that has data, or is in a
 * hole (@hole). Return: position; -ENXIO: @pos is at the end or beyond, or no data is left
 */
loff_t osd_seek(struct osd_object *obj, bool hole, loff_t pos);

/* --- objects of an OST ---------------------------------------------------------------- */

/**
 * osd_ost_lookup() - find an object by its number
 * @osd: device of an OST
 * @id: number
 * @obj: out
 *
 * Return: 0; -ENOENT: it was not written yet, or destroyed
 */
int osd_ost_lookup(struct osd_device *osd, u64 id, struct osd_object *obj);
/* Create it, with @ocr_fid and @ocr_xattrs; other fields are ignored. Return: as osd_create() */
int osd_ost_create(struct osd_device *osd, u64 id, const struct osd_create *oc,
		   struct osd_stamp *stamp, struct osd_object *obj);
/* Return: 0; -ENOENT */
int osd_ost_destroy(struct osd_device *osd, u64 id, struct osd_stamp *stamp);

/* The highest number given out, from O/0/LAST_ID. Return: 0; -EUCLEAN: it is malformed */
int osd_last_id_get(struct osd_device *osd, u64 *id);
/* Survives a power cut when it returns. One task at a time. */
int osd_last_id_set(struct osd_device *osd, u64 id);
/* The same of an MDT, for each of its OSTs, from lov_objid. One task at a time for each index. */
int osd_lov_objid_get(struct osd_device *osd, u32 index, u64 *id);
int osd_lov_objid_set(struct osd_device *osd, u32 index, u64 id);

/* --- durability ----------------------------------------------------------------------- */

/* The list of clients in the directory; its trusted.lite.committed is the number of the commit. */
#define OSD_LAST_RCVD	"last_rcvd"

/**
 * osd_commit() - make everything so far survive a power cut
 * @osd: device
 * @transno: number of the last transaction in it
 *
 * One task at a time: the committer of the target, as lto_commit. An error of writeback since the
 * last commit is returned once, also one of another directory of the file system.
 *
 * Return: 0; or a negative errno: an earlier number is the last that is known to be durable
 */
int osd_commit(struct osd_device *osd, u64 transno);
/* The number of the last osd_commit() before the start, 0: none. Return: 0; -EUCLEAN */
int osd_committed(struct osd_device *osd, u64 *transno);

/*
 * The number of the incarnation of a target: what it believes of what is on its disk belongs to
 * one. 0: there is none. Return: 0; -EUCLEAN
 */
int osd_incarnation_get(struct osd_device *osd, u64 *number);
/*
 * It survives a power cut after the next osd_commit(). Return: 0; -ENOENT: no client was there yet
 */
int osd_incarnation_set(struct osd_device *osd, u64 number);

#endif /* _LUSTRE_LITE_OSD_H */
