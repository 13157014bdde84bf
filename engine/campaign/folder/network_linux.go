package folder

import "syscall"

// networks are the file systems of other machines by their magic numbers (statfs(2)). Their locks
// and the shared memory of a database cannot be relied on (https://www.sqlite.org/wal.html).
var networks = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xfe534d42: "SMB2", 0xff534d42: "CIFS", 0x73757245: "Coda", 0x5346414f: "AFS",
	0x6b414653: "AFS", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x01161970: "GFS2",
	0x7461636f: "OCFS2",
}

// networkOf returns the kind of network file system that a folder is on, "" for none, for one that is not listed, and where the system does
// not say.
func networkOf(dir string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return ""
	}
	return networks[int64(uint32(s.Type))]
}
