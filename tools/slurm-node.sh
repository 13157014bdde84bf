#!/usr/bin/env bash
# Starts Slurm on this machine as its only node, for the test of gonb-cope run --on slurm. It needs root, and installs Debian's slurm-wlm.
# It changes nothing if Slurm answers already, and leaves a configuration that exists unchanged.
set -euo pipefail

if timeout 5 sinfo --noheader >/dev/null 2>&1; then
  exit 0
fi
if [ "$(id -u)" -eq 0 ] && ! command -v slurmctld >/dev/null; then
  DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends slurm-wlm munge >/dev/null 2>&1 || true
fi
if [ "$(id -u)" -ne 0 ] || ! command -v slurmctld >/dev/null; then
  echo "no Slurm: its test is skipped"
  exit 0
fi
folder=/var/lib/gonb-cope-slurm
mkdir -p "$folder" /run/munge /etc/slurm
if [ ! -e /etc/slurm/slurm.conf ]; then
  cat >/etc/slurm/slurm.conf <<CONF
ClusterName=one
SlurmctldHost=$(hostname)
SlurmUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$(hostname) CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
fi
mkdir -p "$folder/state" "$folder/spool"
chown munge: /run/munge
pgrep -x munged >/dev/null || runuser -u munge -- munged
pgrep -x slurmctld >/dev/null || slurmctld
pgrep -x slurmd >/dev/null || slurmd
for _ in $(seq 20); do
  if sinfo --noheader 2>/dev/null | grep -q idle; then
    exit 0
  fi
  sleep 1
done
echo "Slurm does not start: its test is skipped"
