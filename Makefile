# SPDX-License-Identifier: GPL-2.0-only
#
# Everything is built below build/. The modules' own rules are in Kbuild and
# in the Kbuild of each module directory; the tools' in CMakeLists.txt.

PREFIX ?= /usr/local
MODDIR ?= updates/lustre-lite
BUILD := $(CURDIR)/build
# What make install put there, for make uninstall.
INSTALLED_LIST = $(DESTDIR)$(PREFIX)/share/lustre-lite/installed
DEPMOD ?= depmod
# A plain su leaves depmod and ldconfig out of root's path.
export PATH := $(PATH):/usr/sbin:/sbin
CMAKE ?= cmake
# How the tools are linked: shared or static.
LL_LINK ?= shared

# What is missing is installed before anything else here is looked at: not where make only
# removes or explains something, not with LL_DEPS=0, and only where there is an apt.
LL_DEPS ?= 1
BUILDS := $(if $(MAKECMDGOALS),$(filter all modules utils install install-%,$(MAKECMDGOALS)),all)
DRY := $(findstring n,$(firstword -$(MAKEFLAGS)))
ifneq ($(and $(filter-out 0,$(LL_DEPS)),$(BUILDS),$(if $(DRY),,yes),$(wildcard /usr/bin/apt-get)),)
ifneq ($(shell scripts/deps build >&2 || echo failed),)
$(error not all packages that the build needs are there; make LL_DEPS=0 goes on without them)
endif
endif

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
KIND_FLAGS := $(if $(call on,GCOV),--gcov) $(if $(call on,WERROR),--werror)
MODULE_FLAGS := --kdir '$(KDIR)' $(KIND_FLAGS) --show
# -jN given to this make goes on to the builds below it.
JOBS := $(patsubst -j%,-j %,$(filter -j%,$(MAKEFLAGS)))

.PHONY: all
all: modules utils

.PHONY: help
help:
	@echo 'make                 the modules and the tools'
	@echo 'make modules         the modules, into build/modules/RELEASE'
	@echo 'make utils           lctl and liblustrelite, into build/utils'
	@echo 'make check           the tests of this commit (scripts/check --full: every test)'
	@echo 'make install         modules, depmod, tools, library, man pages, completion'
	@echo 'make uninstall       remove what make install put there'
	@echo 'make clean           remove build/ (test kernels are cached elsewhere, and stay)'
	@echo
	@echo 'KDIR=DIR             kernel build tree to build for; now: $(or $(KDIR),none found)'
	@echo 'GCOV=1               count the lines of the modules that run'
	@echo 'WERROR=1             W=1, and warnings are errors, for the modules'
	@echo 'LL_LINK=static       tools that need no library at run time; else shared'
	@echo 'CMAKE_FLAGS=...      more options of cmake for the tools'
	@echo 'PREFIX=DIR           where the tools go: $(PREFIX)'
	@echo 'LL_DEPS=0            do not look for missing packages, which need root or sudo to install'
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
		-DCMAKE_INSTALL_PREFIX='$(PREFIX)' -DCMAKE_INSTALL_MESSAGE=NEVER --log-level=NOTICE -DLL_LINK='$(LL_LINK)' $(CMAKE_FLAGS)
	@$(CMAKE) --build '$(BUILD)/utils' $(JOBS)

.PHONY: install
install: install-modules install-utils

# The modules that are there to be tested with stay where they are.
.PHONY: install-modules
install-modules: modules
	@scripts/install-modules $(KIND_FLAGS) --kdir '$(KDIR)' --destdir '$(DESTDIR)' --moddir '$(MODDIR)' --depmod '$(DEPMOD)'

.PHONY: install-utils
install-utils: utils
	@DESTDIR='$(DESTDIR)' $(CMAKE) --install '$(BUILD)/utils' --prefix '$(PREFIX)'
	@install -D -m 644 '$(BUILD)/utils/install_manifest.txt' '$(INSTALLED_LIST)'
	@echo 'installed the tools below $(DESTDIR)$(PREFIX)'
	@$(if $(DESTDIR),,ldconfig)

# What was installed is said in a list beside it, so that build/ may go in between.
.PHONY: uninstall
uninstall:
	@$(if $(KDIR),scripts/install-modules --remove --kdir '$(KDIR)' --destdir '$(DESTDIR)' --moddir '$(MODDIR)' --depmod '$(DEPMOD)', \
		echo 'note: no kernel headers are found; modules, if any, stay (KDIR=DIR)' >&2)
	@if [ -e '$(INSTALLED_LIST)' ]; then \
		sed "s|^|$(DESTDIR)|" '$(INSTALLED_LIST)' | tr '\n' '\0' | xargs -0 -r rm -f -- && \
		rm -f '$(INSTALLED_LIST)' && rmdir '$(dir $(INSTALLED_LIST))' 2>/dev/null; \
		echo 'removed the tools below $(DESTDIR)$(PREFIX)'; \
	else \
		echo 'note: there is no $(INSTALLED_LIST): no tools are installed below $(DESTDIR)$(PREFIX)' >&2; \
	fi

.PHONY: check
check:
	@scripts/check $(if $(JOBS),$(JOBS))

.PHONY: clean
clean:
	rm -rf '$(BUILD)'
