// What the scripts of the pages use and do not define themselves: libraries, and what Python writes into a page.

type Span = [first: number, last: number];
/** What a place in a page may be filled with; what is not there is left out. */
type Child = globalThis.Node | string | number | false | null | undefined | readonly Child[];
type Attributes = Record<string, string | number | boolean | undefined | ((event: any) => unknown)> | null;
type NameOf<Tag extends string> = Tag extends `${infer Name}.${string}` ? Name : Tag;
type ElementOf<Tag extends string> =
  NameOf<Tag> extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[NameOf<Tag>] : HTMLElement;

/** The elements of the pages that are more than an `HTMLElement`. */
interface ElementsById {
  // class
  search: HTMLInputElement;
  only: HTMLButtonElement;
  section: HTMLSelectElement;
  learner: HTMLDialogElement;
  // replay
  play: HTMLButtonElement;
  at: HTMLInputElement;
  speed: HTMLSelectElement;
  back: HTMLButtonElement;
  restart: HTMLButtonElement;
  step: HTMLButtonElement;
  end: HTMLButtonElement;
  keys: HTMLInputElement;
  numbers: HTMLTableElement;
  leaves: HTMLTableElement;
  waterfall: HTMLTableElement;
  "game-program": HTMLSelectElement;
  "game-run": HTMLButtonElement;
  "game-clear": HTMLButtonElement;
  // site
  frame: HTMLIFrameElement;
  loading: HTMLProgressElement;
  grade: HTMLButtonElement;
  hint: HTMLButtonElement;
  run: HTMLButtonElement;
  "show-replay": HTMLButtonElement;
  earned: HTMLProgressElement;
  export: HTMLButtonElement;
  import: HTMLInputElement;
  earlier: HTMLSelectElement;
  "training-choice": HTMLSelectElement;
  "training-engine": HTMLSelectElement;
  "training-rate": HTMLInputElement;
  "stop-training": HTMLButtonElement;
  train: HTMLButtonElement;
}

declare const pako: { inflate(data: Uint8Array, options: { to: "string" }): string };

// -- replay: layouts, and the table of operations of grader/practice/replay/page.py

declare namespace dagre {
  type Point = { x: number; y: number };
  type Size = { width: number; height: number };
  type Edge = { v: string; w: string; name: string };
  namespace graphlib {
    class Graph {
      constructor(options: { multigraph: boolean });
      setGraph(label: object): void;
      graph(): Size;
      setNode(name: string, label: Size): void;
      node(name: string): Point & Size;
      setEdge(from: string, to: string, label: object, name: string): void;
      edges(): Edge[];
      edge(edge: Edge): Point & { points: Point[] };
    }
  }
  function layout(graph: graphlib.Graph): void;
}

declare const OPERATIONS: Record<string, Operation>;
interface Operation {
  symbol: string;
  value(...operands: number[]): number;
  local(operands: number[], result: number): number[];
}

// -- site

interface EditorView {
  show(text: string): void;
  text(): string;
  replace(text: string): void;
  mark(lines: readonly number[]): void;
  select(first: number, last: number): void;
  selected(): string;
  insert(text: string): void;
  fold(lines: readonly number[]): void;
  at(place: number): void;
  compare(original: string | undefined): void;
  focus(): void;
}
declare const Editor: {
  create(parent: HTMLElement, label: string, heard: { changed(text: string): void; run(): void }): EditorView;
};
// what `build_site` writes into scripts
declare const $files: Record<string, string>;
declare const $schema: Record<string, Schema>;

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  enum?: unknown[];
  type?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  items?: Schema | false;
  prefixItems?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
}

// -- what browsers know and TypeScript's own list does not yet

interface TrustedTypePolicy {
  createScriptURL(url: string): string;
}
interface Window {
  trustedTypes?: { createPolicy(name: string, rules: { createScriptURL(url: string): string }): TrustedTypePolicy };
}
