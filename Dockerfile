# The pinned environment with the pipeline: `docker build -t fwsvm .`, then
#   docker run --rm -v "$PWD/out:/out" fwsvm                      # make run; results and figures go to out/
#   docker run --rm fwsvm make test
#   docker run --rm -it fwsvm bash
# On a cluster: docs/running.md.
# To build from one certain image: --build-arg BASE=python:3.11-slim-bookworm@sha256:...
ARG BASE=python:3.11-slim-bookworm
FROM ${BASE}

# make: the README's commands; git: the commit in provenance.json and the tests; OpenMP for scikit-learn is in its wheel.
# hadolint ignore=DL3008
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git make \
 && rm -rf /var/lib/apt/lists/*

WORKDIR /fwsvm
# First the packages alone: a layer that an edit of the sources does not build again.
COPY requirements.lock ./
RUN python -m venv .venv \
 && .venv/bin/pip install --no-cache-dir --no-compile --require-hashes -r requirements.lock
COPY . .
RUN .venv/bin/pip install --no-cache-dir --no-deps --no-build-isolation -e . \
 && touch .venv/.ready

ENV PATH=/fwsvm/.venv/bin:$PATH
VOLUME ["/out"]
CMD ["sh", "-c", "make run && mkdir -p /out/results /out/figures && cp -r results/demo /out/results && cp -r figures/demo /out/figures"]
