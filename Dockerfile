# Two stages: what builds is not in the image that runs, and neither is pip's cache
FROM python:3.12-slim-bookworm AS build
WORKDIR /src
RUN python -m venv --without-pip /opt/farkle
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY solver solver
COPY bot bot
COPY farkle_advisor farkle_advisor
COPY data/rules data/rules
RUN pip --python /opt/farkle/bin/python install --no-cache-dir --constraint constraints.txt '.[postgres]'

FROM python:3.12-slim-bookworm
COPY --from=build /opt/farkle /opt/farkle
# any user of the container may be the one that runs it, as compose says; others never see the volume
RUN useradd --create-home --uid 1000 farkle && install -d -m 777 /data
USER 1000:1000
ENV PATH=/opt/farkle/bin:$PATH HOME=/tmp FARKLE_DATA=/data PYTHONDONTWRITEBYTECODE=1
VOLUME /data
ENTRYPOINT ["farkle"]
CMD ["chat"]
