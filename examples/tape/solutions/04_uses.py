"""04 uses: an order for the backward pass without a tape

The tape has every operation in the order of the calls. Here you find an order from the graph alone,
for nodes that have numbers. A graph is a list of pairs: [user, source] means that the node `user` is
computed from the node `source`. The node with the largest number is the root. The other numbers say
nothing about the order of the calls.

    a = 0, b = 1, c = a * b is node 2, L = c + a is node 3:

    edges = [[2, 0], [2, 1], [3, 2], [3, 0]]

Node 0 has two uses, in node 2 and in node 3. Its gradient is complete when both have propagated.

Fill in `count_uses(edges)`. It returns the number of uses of each node, here [2, 1, 1, 0]. If an
operation uses a node twice, as c = a * a does, the pair is in the list twice, and both count.

Fill in `backward_order(edges)`. It returns the numbers of all nodes in an order in which every node
comes after all its users. If several nodes could be next, the one with the largest number is next.
For the graph above it returns [3, 2, 1, 0].
"""


def count_uses(edges):
    """Return a list with the number of uses of each node, for the nodes 0 to the root."""
    # BEGIN SOLUTION what is counted, the user or the source of a pair?
    uses = [0] * (root_of(edges) + 1)
    for _, source in edges:
        uses[source] += 1
    return uses
    # END SOLUTION


def backward_order(edges):
    """Return the numbers of all nodes: each one after its users, and the largest possible number first."""
    # BEGIN SOLUTION when can a node be the next one, and what does that change for its sources?
    left = count_uses(edges)
    order, ready = [], [root_of(edges)]
    while ready:
        node = max(ready)
        ready.remove(node)
        order.append(node)
        for user, source in edges:
            if user == node:
                left[source] -= 1
                if left[source] == 0:
                    ready.append(source)
    return order
    # END SOLUTION


def root_of(edges):
    """Return the number of the root, which is the largest number."""
    return max(user for user, _ in edges)


if __name__ == "__main__":  # runs if this file is run as a program
    edges = [[2, 0], [2, 1], [3, 2], [3, 0]]
    print(count_uses(edges))  # [2, 1, 1, 0]
    print(backward_order(edges))  # [3, 2, 1, 0]
