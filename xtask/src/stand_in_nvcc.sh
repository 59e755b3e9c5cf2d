#!/usr/bin/env bash
# Stands in for nvcc where there is no CUDA toolkit: answers what build scripts ask, and makes empty outputs. Enough to
# type-check and lint everything written in Rust; what is built with it cannot run.
set -eu
output='' folder=. kind=object source=''
while (($#)); do
    case $1 in
        --version) printf 'stand-in\n\n\nCuda compilation tools, release 13.0, V13.0.88\n\n'; exit ;;
        --list-gpu-code) echo sm_80; exit ;;
        --ptx) kind=ptx ;;
        -o) output=$2; shift ;;
        --output-directory) folder=$2; shift ;;
        *.cu) source=$1 ;;
    esac
    shift
done
[[ $output || $kind == object ]] || output=$folder/$(basename "${source%.cu}").ptx
: > "${output:?no output was named}"
