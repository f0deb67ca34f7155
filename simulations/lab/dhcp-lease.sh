#!/bin/sh
# What udhcpc calls with a lease: writes down what was offered, and sets nothing.
[ "$1" = bound ] && echo "address=$ip mask=$subnet router=$router dns=$dns server=$serverid"
exit 0
