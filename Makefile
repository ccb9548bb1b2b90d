# SPDX-License-Identifier: GPL-2.0
#
# Everything is built below build/. The modules' own rules are in Kbuild and
# in the Kbuild of each module folder; the tools' in CMakeLists.txt.

PREFIX ?= /usr/local
UDEVDIR ?= /lib/udev/rules.d
MODDIR ?= updates/lustre-lite
BUILD := $(CURDIR)/build
DEPMOD ?= depmod
CMAKE ?= cmake

# The kernel to build for: KDIR=, else the running one's headers, else the
# newest headers that are installed.
RUNNING := $(shell uname -r)
INSTALLED := $(lastword $(shell printf '%s\n' /lib/modules/*/build/Makefile | sort -V))
ifneq ($(origin KDIR),undefined)
KDIR_FROM :=
else ifneq ($(wildcard /lib/modules/$(RUNNING)/build/Makefile),)
KDIR := /lib/modules/$(RUNNING)/build
KDIR_FROM :=
else ifneq ($(wildcard $(INSTALLED)),)
KDIR := $(patsubst %/Makefile,%,$(INSTALLED))
KDIR_FROM := no headers for the running kernel $(RUNNING): building for $(patsubst /lib/modules/%/build,%,$(KDIR))
else
KDIR :=
KDIR_FROM :=
endif

on = $(filter-out 0,$($(1)))
MODULE_FLAGS := --kdir '$(KDIR)' $(if $(call on,GCOV),--gcov) $(if $(call on,WERROR),--werror) --show
# -jN given to this make goes on to the builds below it.
JOBS := $(patsubst -j%,-j %,$(filter -j%,$(MAKEFLAGS)))

.PHONY: all
all: modules utils

.PHONY: help
help:
	@echo 'make                 the modules and the tools'
	@echo 'make modules         the modules, into build/modules/RELEASE'
	@echo 'make utils           lctl and liblustrelite, into build/utils'
	@echo 'make check           every test (scripts/check; see scripts/check --help)'
	@echo 'make install         modules, depmod, tools, library, man pages, completion, udev rule'
	@echo 'make uninstall       remove what make install put there'
	@echo 'make clean           remove build/ (test kernels are cached elsewhere, and stay)'
	@echo
	@echo 'KDIR=DIR             kernel build tree to build for; now: $(or $(KDIR),none found)'
	@echo 'GCOV=1               count the lines of the modules that run'
	@echo 'WERROR=1             W=1, and warnings are errors, for the modules'
	@echo 'CMAKE_FLAGS=...      more options of cmake for the tools'
	@echo 'PREFIX=DIR           where the tools go: $(PREFIX)'
	@echo 'DESTDIR=DIR          stage the installation there; depmod does not run'
	@echo
	@echo 'To see the modules at work without installing anything: scripts/demo'

.PHONY: kdir
kdir:
	@if [ -z '$(KDIR)' ]; then \
		echo 'error: no kernel headers found for $(RUNNING) or any other kernel; run scripts/deps, or give KDIR=DIR' >&2; \
		exit 1; \
	fi
	@$(if $(KDIR_FROM),echo 'note: $(KDIR_FROM)' >&2)

.PHONY: modules
modules: kdir
	@scripts/build-modules $(MODULE_FLAGS) $(JOBS)

.PHONY: utils
utils:
	@$(CMAKE) -S . -B '$(BUILD)/utils' -G Ninja -DCMAKE_BUILD_TYPE=Release \
		-DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_INSTALL_MESSAGE=NEVER --log-level=NOTICE $(CMAKE_FLAGS)
	@$(CMAKE) --build '$(BUILD)/utils' $(JOBS)

.PHONY: install
install: install-modules install-utils install-udev

# The modules that are there to be tested with stay where they are.
.PHONY: install-modules
install-modules: modules
	@scripts/install-modules --kdir '$(KDIR)' --destdir '$(DESTDIR)' --moddir '$(MODDIR)' --depmod '$(DEPMOD)'

.PHONY: install-utils
install-utils: utils
	@DESTDIR='$(DESTDIR)' $(CMAKE) --install '$(BUILD)/utils' --prefix '$(PREFIX)'
	@echo 'installed the tools below $(DESTDIR)$(PREFIX)'
	@$(if $(DESTDIR),,ldconfig)

.PHONY: install-udev
install-udev:
	@install -D -m 644 packaging/99-lustre-lite.rules '$(DESTDIR)$(UDEVDIR)/99-lustre-lite.rules'
	@echo 'installed $(DESTDIR)$(UDEVDIR)/99-lustre-lite.rules'
	@$(if $(DESTDIR),,! command -v udevadm >/dev/null || udevadm control --reload 2>/dev/null || true)

.PHONY: uninstall
uninstall: kdir
	@scripts/install-modules --remove --kdir '$(KDIR)' --destdir '$(DESTDIR)' --moddir '$(MODDIR)' --depmod '$(DEPMOD)'
	@if [ -e '$(BUILD)/utils/install_manifest.txt' ]; then \
		sed 's|^|$(DESTDIR)|' '$(BUILD)/utils/install_manifest.txt' | tr '\n' '\0' | xargs -0 -r rm -f --; \
		echo 'removed the tools named in build/utils/install_manifest.txt'; \
	else \
		echo 'note: build/utils/install_manifest.txt is not there: the tools, if any, stay' >&2; \
	fi
	@rm -f '$(DESTDIR)$(UDEVDIR)/99-lustre-lite.rules'

.PHONY: check
check:
	@scripts/check $(if $(JOBS),$(JOBS))

.PHONY: clean
clean:
	rm -rf '$(BUILD)'
