# The service in one container: docs/operations/docker.md
FROM node:24-slim AS build
WORKDIR /app
COPY . .
RUN npm ci --no-audit --no-fund --loglevel=error
RUN npx turbo run build --output-logs=errors-only --log-prefix=none --ui=stream
RUN npm prune --omit=dev --no-audit --no-fund --loglevel=error

FROM node:24-slim
WORKDIR /app
COPY --from=build /app /app
RUN install -d -o node -g node -m 700 /data
ENV NODE_ENV=production FDS_HOST=0.0.0.0 FDS_DATA_DIR=/data FDS_LOG_FORMAT=json MALLOC_ARENA_MAX=2 NODE_COMPILE_CACHE=/data/compiled
# the embedded database refuses to run as root
USER node
VOLUME /data
EXPOSE 8080 8082 1883
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:8080/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "gateway/dist/bundle/main.mjs"]
