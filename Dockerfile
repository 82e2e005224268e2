FROM python:3.12-slim
WORKDIR /app
COPY constraints.txt pyproject.toml README.md LICENSE ./
COPY solver solver
COPY bot bot
COPY farkle_advisor farkle_advisor
COPY data/rules data/rules
RUN pip install --no-cache-dir --constraint constraints.txt . \
    && useradd --create-home farkle \
    && install -d -m 700 -o farkle /data
USER farkle
ENV FARKLE_DATA=/data
VOLUME /data
ENTRYPOINT ["farkle"]
CMD ["chat"]
