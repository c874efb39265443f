"use strict";

// `OPERATIONS` is written by replay.py, from the table in grader/course/program/operations.py.

/** @type {(node: GraphNode) => boolean} */
const isLeaf = (node) => node.op === "leaf";

/**
 * Return the values of the leaves as they were recorded.
 * @type {(nodes: GraphNode[]) => Leaves}
 */
const leavesOf = (nodes) => Object.fromEntries(nodes.flatMap((node, i) => (isLeaf(node) ? [[i, node.leaf_value ?? NaN]] : [])));

/**
 * Return the operation of a node as text: `a + b`, `tanh(n)`; empty for a leaf.
 * @type {(node: GraphNode, nodes: GraphNode[]) => string}
 */
function expression(node, nodes) {
  if (isLeaf(node)) return "";
  const words = node.inputs.map((input) =>
    input.node === null ? digits(input.number ?? NaN).replace("−", "-") : nodes[input.node].name,
  );
  const symbol = node.op === "matmul" ? "@" : OPERATIONS[node.op]?.symbol;
  const given = node.arguments ?? "";
  if (symbol) return words.join(` ${symbol} `);
  if (node.op === "neg") return `-${words[0]}`;
  if (node.op === "T") return `${words[0]}.T`;
  if (node.op === "getitem") return `${words[0]}[${given}]`;
  if (OPERATIONS[node.op]) return `${node.op}(${words.join(", ")})`;
  if (node.op === "stack" || node.op === "concat") return `${node.op}([${words.join(", ")}]${given && `, ${given}`})`;
  return `${words[0]}.${node.op}(${given})`;
}

/** @type {(node: GraphNode, nodes: GraphNode[]) => string} */
const operationOf = (node, nodes) => expression(node, nodes) || "leaf";

/**
 * Return the value of every node for these values of the leaves, by the index of each.
 * @type {(nodes: GraphNode[], leaves: Leaves) => number[]}
 */
function forwardPass(nodes, leaves) {
  /** @type {number[]} */
  const data = [];
  nodes.forEach((node, i) => {
    data.push(isLeaf(node) ? leaves[i] : OPERATIONS[node.op].value(...operandsOf(node, data)));
  });
  return data;
}

/** @type {(node: GraphNode, data: number[]) => number[]} */
const operandsOf = (node, data) => node.inputs.map((input) => (input.node === null ? (input.number ?? NaN) : data[input.node]));

/**
 * Return the indices of the operations that the root was computed from, users before inputs.
 * @type {(nodes: GraphNode[], root: number) => number[]}
 */
function rightOrder(nodes, root) {
  const wanted = new Set([root]);
  for (let i = root; i >= 0; i -= 1)
    if (wanted.has(i)) for (const input of nodes[i].inputs) if (input.node !== null) wanted.add(input.node);
  return [...wanted].filter((i) => !isLeaf(nodes[i])).sort((a, b) => b - a);
}

/**
 * Run right local rules in an order; return every run with its contributions, and the gradients that are left.
 * `before` has the gradients that are there already, the root's among them.
 * @type {(nodes: GraphNode[], root: number, data: number[], order?: number[], before?: number[]) => { visits: RightRun[], grad: number[] }}
 */
function backwardPass(
  nodes,
  root,
  data,
  order = rightOrder(nodes, root),
  before = nodes.map((_, i) => (i === root ? 1 : 0)),
) {
  const grad = [...before];
  const visits = order.map((at) => {
    const node = nodes[at];
    const upstream = grad[at];
    const local = OPERATIONS[node.op].local(operandsOf(node, data), data[at]);
    const contributions = node.inputs.flatMap(({ node: input }, slot) =>
      input === null ? [] : [{ slot, node: input, local: local[slot], amount: local[slot] * upstream }],
    );
    for (const contribution of contributions) grad[contribution.node] += contribution.amount;
    return { node: at, upstream, contributions };
  });
  return { visits, grad };
}
