"use strict";

const MOST_VISITS = 12;

/**
 * Return the program of a replay, or of the page's own game, as the order game plays it; null where there is nothing
 * to order, too much, an array, or a number that cannot be computed.
 * @type {(program: Data.Replay | Data.Game) => Playable | null}
 */
function gameOf({ nodes, root, program, title }) {
  if (haveArrays(nodes)) return null;
  const leaves = leavesOf(nodes);
  const data = forwardPass(nodes, leaves);
  const right = backwardPass(nodes, root, data).grad;
  const visits = rightOrder(nodes, root).sort((a, b) => a - b);
  const watched = Object.keys(leaves).map(Number);
  const known = [...data, ...right].every(Number.isFinite);
  return known && watched.length && visits.length > 1 && visits.length <= MOST_VISITS
    ? { nodes, root, program, title, data, right, visits, watched }
    : null;
}

/**
 * Set up the order game: place the visits of a graph, run them, and see what each order loses. Return a function that
 * turns to the game of a replay, if it has one.
 * @type {(own: Data.Game, replays: Data.Replay[]) => (replay: Data.Replay) => void}
 */
function orderGame(own, replays) {
  const programs = replays.map(gameOf);
  const given = programs.some((game) => game?.program === own.program);
  const games = [...programs, given ? null : gameOf(own)].filter((game) => game !== null);
  const select = byId("game-program");
  /** @type {Board} */
  const board = {
    graph: byId("game-graph"), about: byId("game-about"), hand: byId("game-cards"), placed: byId("game-order"),
    told: byId("game-told"), start: byId("game-run"), clear: byId("game-clear"),
  };
  fill(select, ...games.map(({ title }, i) => h("option", { value: String(i) }, plain(title))));
  byId("game-choice").hidden = games.length < 2;
  /** @type {(at: number) => void} */
  const turnTo = (at) => {
    select.value = String(at);
    playGame(games[at], board);
  };
  select.addEventListener("change", () => turnTo(Number(select.value)));
  turnTo(0);
  return (replay) => {
    const game = programs[replays.indexOf(replay)];
    if (game) turnTo(games.indexOf(game));
  };
}

/**
 * Let one program be played on a board.
 * @type {(game: Playable, board: Board) => void}
 */
function playGame(game, { graph: box, about, hand, placed, told, start, clear }) {
  const { nodes, root, data, right, visits: cards } = game;
  const run = gameRun(nodes, root, data, right);
  const graph = graphView(box, run, { label: "The graph of the order game" });
  /** @type {(i: number) => string} */
  const call = (i) => plain(`${nodes[i].name}._backward()`);
  /** @type {Map<string, string>} */
  const tried = new Map();
  /** @type {number[]} */
  let order = [];
  about.textContent = plain(gameWords(game));

  /** @type {(focus?: "run" | "hand") => void} */
  function draw(focus) {
    const rest = cards.filter((i) => !order.includes(i));
    fill(hand,
      ...rest.map((i) =>
        h("button.visit", { type: "button", "data-visit": nodes[i].name, onclick: () => place(i) }, call(i)),
      ),
    );
    fill(placed,
      ...cards.map((_, k) =>
        k < order.length
          ? h(
              "li",
              null,
              h(
                "button.visit",
                { type: "button", "aria-label": `Take back ${call(order[k])}`, onclick: () => take(k) },
                call(order[k]),
              ),
            )
          : h("li.empty", null, "…"),
      ),
    );
    start.disabled = order.length < cards.length;
    if (focus) (focus === "hand" ? (hand.querySelector("button") ?? start) : start).focus();
  }
  /** @type {(i: number) => void} */
  function place(i) {
    order = [...order, i];
    draw("hand");
  }
  /** @type {(k: number) => void} */
  function take(k) {
    order = order.filter((_, other) => other !== k);
    forget();
    draw("hand");
  }
  function forget() {
    fill(told);
    graph.show(run.frame());
  }

  start.onclick = () => {
    const { visits, grad } = backwardPass(nodes, root, data, order);
    const wrong = nodes.map((_, i) => i).filter((i) => differ(exactly(grad[i]), exactly(right[i]), run.scale));
    tried.set(order.map((i) => nodes[i].name).join(", "), triedWords(game, grad));
    const late = losses(visits, grad);
    const lost = late.filter(({ edges }) => edges.some(({ amount }) => amount !== 0));
    fill(told,
      h("p.headline", null, plain(outcomeWords(game, grad, wrong, late.length > 0))),
      h(
        "ol.visits",
        null,
        visits.map((visit) => h("li", null, plain(visitWords(nodes, visit)))),
      ),
      ...(lost.length
        ? [
            h(
              "ul.lost",
              null,
              lost.map((loss) => h("li", null, plain(lossWords(nodes, grad, loss)))),
            ),
          ]
        : []),
      h(
        "p.quiet",
        null,
        plain(`Orders so far: ${[...tried].map(([words, left]) => `${words} ${left}`).join("; ")}.`),
      ),
    );
    graph.show(run.frame(grad, lost));
  };
  clear.onclick = () => {
    order = [];
    forget();
    draw("hand");
  };
  forget();
  draw();
}

/**
 * Return the gradients of some nodes: `a.grad = 7 and b.grad = 2`.
 * @type {(nodes: GraphNode[], at: number[], grad: number[]) => string}
 */
const gradWords = (nodes, at, grad) => series(at.map((i) => `${nodes[i].name}.grad = ${digits(grad[i])}`));

/**
 * Return what the game is about.
 * @type {(game: Playable) => string}
 */
function gameWords({ nodes, root, program, right, visits, watched }) {
  const values = series(watched.map((i) => `${nodes[i].name} = ${digits(nodes[i].leaf_value ?? NaN)}`));
  const aim =
    watched.length === 1
      ? `the gradient of ${nodes[watched[0]].name} is ${digits(right[watched[0]])}`
      : `a correct order reaches ${gradWords(nodes, watched, right)}`;
  return (
    `For ${program.replaceAll("; ", ", ")} at ${values}, ${aim}. ${nodes[root].name}.grad starts at 1. ` +
    `Place the ${visits.length} calls in an order and run them. Each call adds its contributions once.`
  );
}

/**
 * Return how an order ended: the gradients of the leaves, or of those that are wrong, beside the right ones. `late`
 * says whether a gradient changed after its node had propagated.
 * @type {(game: Playable, grad: number[], wrong: number[], late: boolean) => string}
 */
function outcomeWords({ nodes, right, watched }, grad, wrong, late) {
  if (!wrong.length)
    return `✓ ${gradWords(nodes, watched, grad)}: every contribution ${late ? "that is not 0 " : ""}arrived.`;
  const leaves = watched.filter((i) => wrong.includes(i));
  const about = leaves.length ? leaves : wrong;
  return `≠ ${gradWords(nodes, about, grad)}; a correct order reaches ${series(about.map((i) => digits(right[i])))}.`;
}

/**
 * Return what an order left, in a few words.
 * @type {(game: Playable, grad: number[]) => string}
 */
function triedWords({ nodes, right, watched }, grad) {
  if (watched.length === 1) return `gives ${digits(grad[watched[0]])}`;
  const agree = watched.filter((i) => !differ(exactly(grad[i]), exactly(right[i])));
  return `gives ${agree.length} of ${watched.length} leaves the right gradient`;
}

/**
 * Return a run whose frames show the gradients that an order leaves.
 * @type {(nodes: GraphNode[], root: number, data: number[], right: number[]) => Run & { frame(grad?: number[], lost?: Loss[]): Frame }}
 */
function gameRun(nodes, root, data, right) {
  const made = new Set(nodes.map((_, i) => i));
  /** @type {(grad?: number[], lost?: Loss[]) => Frame} */
  const frame = (grad, lost = []) => ({
    ...startFrame(nodes, (grad ?? nodes.map((_, i) => (i === root ? 1 : 0))).map(exactly)),
    made,
    lost: new Map(lost.flatMap(({ node, edges }) => edges.map((row) => [edgeKey(node, row.slot), row.amount]))),
    settled: nodes.map(() => Boolean(grad)),
  });
  const expected = nodes.map((_, i) => ({ data: exactly(data[i]), grad: exactly(right[i]) }));
  return {
    recorded: true,
    nodes,
    root,
    asked: "expected",
    data: data.map(exactly),
    expected,
    scale: Math.max(1, ...[...data, ...right].map(Math.abs)),
    frame,
    frames: [],
    first: null,
    named: 1,
    replay: { fault: "order", fault_node: null, problem: null, reference: [], nodes: [], root },
  };
}

/** @type {(nodes: GraphNode[], visit: RightRun) => string} */
function visitWords(nodes, { node, upstream, contributions }) {
  const words = contributions.map((row) => `${nodes[row.node].name} ${signed(row.amount)}`);
  return `${nodes[node].name} propagates ${digits(upstream)}: ${words.join(", ")}`;
}

/**
 * Return what each edge lost: the contribution of what reached its node after the node had propagated.
 * @type {(visits: RightRun[], grad: number[]) => Loss[]}
 */
function losses(visits, grad) {
  return visits
    .filter(({ node, upstream }) => grad[node] !== upstream)
    .map(({ node, upstream, contributions }) => {
      const late = grad[node] - upstream;
      return { node, upstream, late, edges: contributions.map((row) => ({ ...row, amount: late * row.local })) };
    });
}

/** @type {(nodes: GraphNode[], grad: number[], loss: Loss) => string} */
function lossWords(nodes, grad, { node, upstream, late, edges }) {
  const name = nodes[node].name;
  const missing = edges.map(
    (row) => `${digits(row.local)} × ${digits(late)} = ${digits(row.amount)} to ${nodes[row.node].name}`,
  );
  return `${name} propagated while ${name}.grad was ${digits(upstream)}. Later ${name}.grad became ${digits(grad[node])}, and no call propagates the ${digits(late)} that came late. Lost: the contribution ${series(missing)}.`;
}
