// A client of `codeh-history serve`: one process, any number of commands at once. See docs/serve.md.

import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";

export interface Answer {
  code: number;
  stdout: string;
  stderr: string;
  stdout64?: string; // instead of stdout, where it is no UTF-8
  stderr64?: string;
}

export interface Event {
  event: "stdout" | "stderr";
  data?: string;
  data64?: string;
}

export interface Options {
  stdin?: string;
  stdin64?: string;
  cwd?: string;
  env?: Record<string, string | null>;
  onEvent?: (event: Event) => void; // what it prints, as it prints it
  signal?: AbortSignal; // ends the command
}

interface Waiting {
  options: Options;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

export class History {
  private process: ChildProcess;
  private waiting = new Map<number, Waiting>();
  private last = 0;
  private gone: Error | null = null;
  private ended: Promise<number>;

  constructor(command: string[] = ["codeh-history"]) {
    this.process = spawn(command[0]!, [...command.slice(1), "serve"], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.process.stdout! }).on("line", (line) => this.heard(line));
    this.ended = new Promise((resolve) => {
      this.process.once("close", (code) => {
        this.gone = new Error(`serve has ended (${code})`);
        for (const { reject } of this.waiting.values()) reject(this.gone);
        this.waiting.clear();
        resolve(code ?? -1);
      });
    });
    this.process.stdin!.on("error", () => {}); // `close` tells
  }

  /** Run a command line; resolves with its answer whatever its exit code. */
  run(argv: string[], options: Options = {}): Promise<Answer> {
    if (this.gone) return Promise.reject(this.gone);
    const { onEvent, signal, ...fields } = options;
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { options, resolve, reject });
      this.send({ id, argv, ...fields, ...(onEvent && { stream: true }) });
      signal?.addEventListener("abort", () => this.send({ cancel: id }), { once: true });
    });
  }

  /** Finish what was asked; the exit code of `serve`. */
  close(): Promise<number> {
    this.process.stdin!.end();
    return this.ended;
  }

  private send(line: object): void {
    this.process.stdin!.write(JSON.stringify(line) + "\n");
  }

  private heard(line: string): void {
    const { id, ...said } = JSON.parse(line);
    const waiting = this.waiting.get(id);
    if (!waiting) return;
    if ("event" in said) return waiting.options.onEvent?.(said);
    this.waiting.delete(id);
    waiting.resolve(said);
  }
}
