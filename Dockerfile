# The app and its tables in one image: what the image holds is a data edition, and nothing is written while it runs.
# Give the build a newer patch of the same Python with --build-arg PYTHON_IMAGE=..., or a digest of your own registry.
ARG PYTHON_IMAGE=python:3.13.13-slim-trixie

FROM ${PYTHON_IMAGE} AS build
WORKDIR /app
# For the PDF of the report in Chinese: a slim image has no fonts. One release of Debian has one version of them.
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends fonts-noto-cjk && rm -rf /var/lib/apt/lists/*
# requirements.txt has the app alone; requirements-auth.txt adds sign-in.
ARG REQUIREMENTS=requirements.txt
COPY requirements*.txt ./
RUN python -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --disable-pip-version-check --no-compile -r "${REQUIREMENTS}" \
    && .venv/bin/pip uninstall --yes pip \
    && find .venv -type d -name tests -prune -exec rm -rf {} +
COPY app.py ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY lib lib
COPY pages pages
COPY data data
# The running container cannot write them.
RUN python -m compileall -q .venv lib pages app.py

FROM ${PYTHON_IMAGE}
# The app's own port and address; a base path is set the same way, as STREAMLIT_SERVER_BASE_URL_PATH.
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HOME=/app \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501
WORKDIR /app
COPY --from=build /usr/share/fonts/opentype/noto/NotoSansCJK-*.ttc /usr/share/fonts/opentype/noto/
COPY --from=build /app /app
COPY deploy/health.py deploy/health.py
# A number, because Kubernetes cannot tell that a name is not root.
USER 10001:10001
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 CMD ["python", "deploy/health.py"]
CMD ["streamlit", "run", "app.py"]
