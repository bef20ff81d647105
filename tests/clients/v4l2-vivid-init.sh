#!/bin/busybox sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# /init of the virtual machine of v4l2-vivid.py: loads the modules, makes the
# host's root file system the guest's (writes end in memory) and runs the
# pipeline in it. Every line for the test begins with "vivid-guest:". The
# machine goes off when the pipeline ends or a step fails.

root=/root

say() { echo "vivid-guest: $*"; }

# step WHAT COMMAND...: a command without which nothing further makes sense
step() {
  what=$1
  shift
  "$@" && return
  say "cannot $what"
  poweroff -f
}

load_modules() {
  while read -r file options; do
    # shellcheck disable=SC2086 # the options are separate words
    step "load $file $options" insmod "/modules/$file" $options
  done </modules/order
}

mount_host_root() {
  mkdir -p /host /memory $root
  step "mount the host's root" mount -t 9p host /host \
    -o ro,trans=virtio,version=9p2000.L,cache=loose,msize=512000
  step "mount memory" mount -t tmpfs memory /memory
  mkdir /memory/upper /memory/work
  step "mount the overlay" mount -t overlay overlay $root \
    -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work
  for dir in proc sys dev; do
    mkdir -p "$root/$dir"
    step "move /$dir" mount -o move "/$dir" "$root/$dir"
  done
}

# QEMU's user network: it forwards the host's port to this address.
start_network() {
  ip link set lo up
  step "set the address" ip addr add 10.0.2.15/24 dev eth0
  step "start the network" ip link set eth0 up
}

export PATH=/bin
/bin/busybox mkdir -p /proc /sys /dev
/bin/busybox --install -s /bin
step "mount /proc" mount -t proc proc /proc
step "mount /sys" mount -t sysfs sysfs /sys
step "mount /dev" mount -t devtmpfs devtmpfs /dev

load_modules
step "find the camera /dev/video0" test -c /dev/video0
start_network
mount_host_root
cp /registry.bin "$root/vivid-registry.bin"

say "pipeline starts"
chroot "$root" /bin/sh -c "$(cat /pipeline)"
say "pipeline ended with status $?"
poweroff -f
