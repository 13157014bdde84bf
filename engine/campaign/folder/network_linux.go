package folder

import "syscall"

// networks maps the magic numbers of network file systems (statfs(2)) to their names. On these, file locks and the shared
// memory of a database are unreliable (https://www.sqlite.org/wal.html).
var networks = map[int64]string{
	0x6969: "NFS", 0x517b: "SMB", 0xfe534d42: "SMB2", 0xff534d42: "CIFS", 0x73757245: "Coda", 0x5346414f: "AFS",
	0x6b414653: "AFS", 0x00c36400: "Ceph", 0x0bd00bd0: "Lustre", 0x47504653: "GPFS", 0x19830326: "BeeGFS", 0x01161970: "GFS2",
	0x7461636f: "OCFS2",
}

// networkOf returns the name of the network file system that contains a folder. It returns "" for a local or unknown file
// system, and if statfs fails.
func networkOf(dir string) string {
	var s syscall.Statfs_t
	if syscall.Statfs(dir, &s) != nil {
		return ""
	}
	return networks[int64(uint32(s.Type))]
}
