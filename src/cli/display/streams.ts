// The three streams of a command, passed in so that a test can be the terminal.

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export const ownStreams: Streams = {
  get stdin() {
    // Looked at late, as looking opens it.
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
};
