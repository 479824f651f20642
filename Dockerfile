# syntax=docker/dockerfile:1
# The image of `vivarium serve`. docs/deployment.md says how it is run, and which layers of the jail stand in a container.

# Packs the package as it is published.
FROM node:26-bookworm-slim AS packed
WORKDIR /source
COPY package.json package-lock.json node-version.cjs ./
COPY tools/node-pin/package.json tools/node-pin/
COPY tools/ordinary/package.json tools/ordinary/
RUN npm ci --no-audit --no-fund
COPY . .
RUN mkdir /packed && npm pack --pack-destination /packed

# Installs it with the versions of the lock file, and nothing that only its development needs. No script of a package is run.
FROM node:26-bookworm-slim AS installed
WORKDIR /opt/vivarium
COPY --from=packed /packed /packed
COPY package-lock.json ./
RUN tar -xzf /packed/vivarium-*.tgz --strip-components=1 \
  && npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:26-bookworm-slim
ENV NODE_ENV=production
COPY --from=installed /opt/vivarium /opt/vivarium
RUN ln -s /opt/vivarium/dist/cli/main.js /usr/local/bin/vivarium \
  && install -d -o node -g node -m 0700 /data
# Not root, and so without the layer `user` of the jail; all others stand under Docker's usual seccomp profile.
USER node
WORKDIR /data
VOLUME /data
EXPOSE 7420
# The server drains: what is under way ends, and nothing new begins.
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7420/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["vivarium"]
# Within the container it must listen on all addresses; who can reach it is said by `docker run --publish`. The tokens are a file
# that is mounted there: without it, it says so and ends.
CMD ["serve", "--host", "0.0.0.0", "--port", "7420", "--public-without-tls", "--data", "/data/runtime", "--tokens", "/run/secrets/tokens.json"]
