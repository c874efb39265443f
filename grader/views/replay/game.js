"use strict";

/** Set up the order game: place the visits of a graph, run them, and see what each order loses. */
function orderGame(box, { nodes, root, watched }) {
  const leaves = Object.fromEntries(nodes.map((node, i) => [i, node.leaf_value]).filter(([, value]) => value !== null));
  const data = forwardPass(nodes, leaves);
  const right = backwardPass(nodes, root, data).grad;
  const cards = nodes.map((_, i) => i).filter((i) => !isLeaf(nodes[i]));
  const run = gameRun(nodes, root, data, right);
  const graph = graphView(box.querySelector("#game-graph"), run, { label: "The graph of the order game" });
  const [hand, placed, told] = ["#game-cards", "#game-order", "#game-told"].map((id) => box.querySelector(id));
  const [start, clear] = ["#game-run", "#game-clear"].map((id) => box.querySelector(id));
  const tried = new Map();
  let order = [];

  function draw(focus) {
    const rest = cards.filter((i) => !order.includes(i));
    hand.replaceChildren(
      ...rest.map((i) =>
        h(
          "button.visit",
          { type: "button", "data-visit": nodes[i].name, onclick: () => place(i) },
          `${nodes[i].name}._backward()`,
        ),
      ),
    );
    placed.replaceChildren(
      ...cards.map((_, k) =>
        k < order.length
          ? h(
              "li",
              null,
              h(
                "button.visit",
                {
                  type: "button",
                  "aria-label": `Take back ${nodes[order[k]].name}._backward()`,
                  onclick: () => take(k),
                },
                `${nodes[order[k]].name}._backward()`,
              ),
            )
          : h("li.empty", null, "…"),
      ),
    );
    start.disabled = order.length < cards.length;
    (focus === "run" ? start : focus === "hand" ? (hand.querySelector("button") ?? start) : null)?.focus();
  }
  function place(i) {
    order = [...order, i];
    draw("hand");
  }
  function take(k) {
    order = order.filter((_, other) => other !== k);
    forget();
    draw("hand");
  }
  function forget() {
    told.replaceChildren();
    graph.show(run.frame());
  }

  start.addEventListener("click", () => {
    const { visits, grad } = backwardPass(nodes, root, data, order);
    const names = order.map((i) => nodes[i].name).join(", ");
    const won = nodes.every((_, i) => !differ(exactly(grad[i]), exactly(right[i])));
    tried.set(names, grad[watched]);
    const lost = losses(visits, grad);
    const target = `${nodes[watched].name}.grad`;
    told.replaceChildren(
      h(
        "p.headline",
        null,
        won
          ? `✓ ${target} = ${digits(grad[watched])}: every contribution arrived.`
          : `≠ ${target} = ${digits(grad[watched])}; the right order reaches ${digits(right[watched])}.`,
      ),
      h(
        "ol.visits",
        null,
        visits.map((visit) => h("li", null, visitWords(nodes, visit))),
      ),
      ...(lost.length
        ? [
            h(
              "ul.lost",
              null,
              lost.map((loss) => h("li", null, lossWords(nodes, grad, loss))),
            ),
          ]
        : []),
      h(
        "p.quiet",
        null,
        `Orders so far: ${[...tried].map(([words, value]) => `${words} gives ${digits(value)}`).join("; ")}.`,
      ),
    );
    graph.show(run.frame(grad, lost));
  });
  clear.addEventListener("click", () => {
    order = [];
    forget();
    draw("hand");
  });
  draw();
  graph.show(run.frame());
}

/** Return a run whose frames show the gradients that an order leaves. */
function gameRun(nodes, root, data, right) {
  const made = new Set(nodes.map((_, i) => i));
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
    scale: 1,
    frame,
    first: null,
    replay: { fault: "order", problem: null, reference: [] },
  };
}

function visitWords(nodes, { node, upstream, contributions }) {
  const words = contributions.map((row) => `${nodes[row.node].name} ${signed(row.amount)}`);
  return `${nodes[node].name} propagates ${digits(upstream)}: ${words.join(", ")}`;
}

/** Return what each edge lost: the contribution of what reached its node after the node had propagated. */
function losses(visits, grad) {
  return visits
    .filter(({ node, upstream }) => grad[node] !== upstream)
    .map(({ node, upstream, contributions }) => {
      const late = grad[node] - upstream;
      return { node, upstream, late, edges: contributions.map((row) => ({ ...row, amount: late * row.local })) };
    });
}

function lossWords(nodes, grad, { node, upstream, late, edges }) {
  const name = nodes[node].name;
  const missing = edges.map(
    (row) => `${digits(row.local)} × ${digits(late)} = ${digits(row.amount)} to ${nodes[row.node].name}`,
  );
  return `${name} propagated while ${name}.grad was ${digits(upstream)}. Later ${name}.grad became ${digits(grad[node])}, and no call propagates the ${digits(late)} that came late. Lost: the contribution ${series(missing)}.`;
}
