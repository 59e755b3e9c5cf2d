#!/usr/bin/env bash
# A substitute for nvcc on machines without a CUDA toolkit. It answers the queries of build scripts and writes
# empty outputs. This is enough to type-check and lint the Rust code; programs built with it cannot run.
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
: > "${output:?missing output}"
