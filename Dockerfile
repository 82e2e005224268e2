FROM python:3.12-slim
WORKDIR /app
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY solver solver
COPY bot bot
COPY data/rules data/rules
RUN pip install --no-cache-dir --constraint constraints.txt . \
    && useradd --create-home farkle \
    && install -d -o farkle /data
USER farkle
# strategy files, compiled code and history; numba keeps the machine code of the kernels there too
ENV FARKLE_DATA=/data NUMBA_CACHE_DIR=/data/kernels
VOLUME /data
ENTRYPOINT ["farkle"]
CMD ["chat"]
