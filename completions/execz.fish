# SPDX-License-Identifier: Apache-2.0
# fish completion for execz; the command itself says what fits.
complete -c execz -a '(execz complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
