// What the scripts of the replay pass to each other. A run is what the player steps through.

/** What a node holds: a number, an array, or nothing that JSON can carry. */
type Held = Data.Seen["data"];
/** A number on the page. `value` is null where an engine holds something that JSON cannot carry, which `text` then says. */
type Numeric = { value: number | null; text: string; array?: Data.Shaped };
type GraphNode = Pick<Data.ReplayNode, "name" | "op" | "inputs" | "leaf_value"> & Partial<Data.ReplayNode>;
type Leaves = Record<number, number>;
/** One contribution: the operand, its local derivative, and the product with the upstream gradient. */
type Contributed = { slot: number; node: number; local: number; amount: number };
type FrameRow = { slot: number; node: number; local: Held; amount: Held; term?: Held; axes?: number[] };
type RightRun = { node: number; upstream: number; contributions: Contributed[] };
type Carried = { local: Held; axes?: number[]; upstream: Numeric; amount: Numeric; wrong: boolean };
type Erased = { change: Data.Change; before: Data.Change | null };

/** What a visit did to an input, beside what a right rule does. */
interface Total {
  node: number;
  before: Numeric;
  after: Numeric;
  amount: Numeric;
  right: Numeric | null;
  wrong: boolean;
  line: number;
  erased: Erased[];
}

/** Everything that is shown at one moment. */
interface Frame {
  kind: "start" | "forward" | "seed" | "visit" | "end" | "problem";
  /** what the frame is about */
  node: number | null;
  /** lines of the source that are marked, the first one strongest */
  lines: number[];
  /** how many of the operations exist already */
  made: Set<number>;
  /** the gradient of each node */
  grads: Numeric[];
  /** for each node, whether no later frame changes its gradient */
  settled: boolean[];
  /** by `node:slot`: what the latest run of the node's rule carried */
  edges: Map<string, Carried>;
  /** of a visit: one for each contribution */
  rows: FrameRow[];
  /** of a visit: one for each input */
  totals: Total[];
  /** of a visit */
  upstream: Numeric;
  inner: boolean;
  /** of the seed */
  value: Numeric;
  problem: Data.ReplayProblem | null;
  /** of the order game: what each edge lost */
  lost?: Map<string, number>;
}

interface Run {
  recorded: boolean;
  nodes: GraphNode[];
  root: number;
  asked: Data.Replay["asked"];
  data: Numeric[];
  expected: { data: Numeric; grad: Numeric }[];
  /** the largest number of the program, and the largest of the nodes that it names */
  scale: number;
  named: number;
  frames: Frame[];
  first: number | null;
  replay: Pick<Data.Replay, "fault" | "fault_node" | "problem" | "reference" | "root"> & { nodes: GraphNode[] };
  /** what is said at the end of a run of the reference */
  ending?: string;
}

type Show = (frame: Frame, at: number) => void;
interface Player {
  to(where: number | null): void;
  readonly at: number;
  load(run: Run, where?: number): void;
}
/** What a player is worked with. */
interface Controls {
  toggle: HTMLButtonElement;
  slider: HTMLInputElement;
  back: HTMLButtonElement;
  step: HTMLButtonElement;
  restart?: HTMLButtonElement;
  end?: HTMLButtonElement;
  speed?: HTMLSelectElement;
  keys?: HTMLInputElement;
}
interface GraphView {
  show(frame: Frame): void;
  choose(node: number, slot: number): void;
}

type Point = { x: number; y: number };
type Size = { width: number; height: number };
type Scale = (value: number) => number;
type PlanEdge = { node: number; slot: number; input: number };
type LaidEdge = PlanEdge & Point & { points: Point[] };
interface Plan extends Size {
  direction: "LR" | "TB" | "ROWS";
  card: Size;
  cards: Point[];
  edges: LaidEdge[];
  gutter: number;
}
interface Card {
  group: SVGElement;
  data: SVGElement;
  grad: SVGElement;
  room: number[];
}
interface DrawnEdge {
  line: SVGElement;
  stroke: SVGElement;
  pill: SVGElement;
  text: SVGElement;
  back: SVGElement;
  label: Point;
  at: PlanEdge;
}

/** The program of a replay, or of the page's own, as the order game plays it. */
interface Playable {
  nodes: GraphNode[];
  root: number;
  program: string;
  title: string;
  data: number[];
  right: number[];
  visits: number[];
  watched: number[];
}
/** The places of an order game. */
interface Board {
  graph: HTMLElement;
  about: HTMLElement;
  hand: HTMLElement;
  placed: HTMLElement;
  told: HTMLElement;
  start: HTMLButtonElement;
  clear: HTMLButtonElement;
}
interface Loss {
  node: number;
  upstream: number;
  late: number;
  edges: Contributed[];
}

type Pair = [number, number];
type Chart = { picture: SVGElement; circles: (SVGElement | null)[]; walk: (at: number) => void };
type Choose = (node: number, slot: number) => void;
type Views = { list: Show[]; run: Run | null; replay: Data.Replay | null };
