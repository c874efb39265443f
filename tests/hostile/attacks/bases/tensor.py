"""WHAT"""
# exercise: tensor

import numpy

PREPARATION


class Tensor:
    def __init__(self, data, inputs=()):
        self.data = numpy.array(data, dtype=float)
        self.grad = numpy.zeros(self.data.shape)
        self.inputs = inputs

    def __add__(self, other):
        return Tensor(self.data + other.data, (self, other))

    def __sub__(self, other):
        return Tensor(self.data - other.data, (self, other))

    def __mul__(self, other):
        return Tensor(self.data * other.data, (self, other))

    def __truediv__(self, other):
        return Tensor(self.data / other.data, (self, other))

    def __matmul__(self, other):
        return Tensor(self.data @ other.data, (self, other))

    def __neg__(self):
        return Tensor(-self.data, (self,))

    def relu(self):
        return Tensor(numpy.maximum(self.data, 0), (self,))

    def exp(self):
        return Tensor(numpy.exp(self.data), (self,))

    def tanh(self):
        return Tensor(numpy.tanh(self.data), (self,))

    def sum(self, axis=None, keepdims=False):
        return Tensor(self.data.sum(axis=axis, keepdims=keepdims), (self,))

    def backward(self):
        self.grad = numpy.ones(())
        reached = [self]
        for out in reached:
            for node in out.inputs:
                node.grad = node.grad + 0.5
                ATTACK
            reached.extend(node for node in out.inputs if node not in reached)
