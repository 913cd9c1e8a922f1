"""What the chapters have built by the end of part 6."""

import random

from micrograd.stages.p5 import Value


class Neuron:
    """A weight for each input and a bias: tanh of the weighted sum."""

    def __init__(self, nin):
        self.w = [Value(random.uniform(-1, 1)) for _ in range(nin)]
        self.b = Value(random.uniform(-1, 1))

    def __call__(self, x):
        if len(x) != len(self.w):
            raise ValueError(f"this neuron takes {len(self.w)} inputs, not {len(x)}")
        total = sum((wi * xi for wi, xi in zip(self.w, x, strict=True)), self.b)
        return total.tanh()

    def parameters(self):
        return [*self.w, self.b]


class Layer:
    """Neurons that all read the same inputs."""

    def __init__(self, nin, nout):
        self.neurons = [Neuron(nin) for _ in range(nout)]

    def __call__(self, x):
        return [neuron(x) for neuron in self.neurons]

    def parameters(self):
        return [p for neuron in self.neurons for p in neuron.parameters()]


class MLP:
    """Layers in a row; a single output comes as a Value, several as a list."""

    def __init__(self, nin, nouts):
        sizes = [nin, *nouts]
        self.layers = [Layer(sizes[i], sizes[i + 1]) for i in range(len(nouts))]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x[0] if len(x) == 1 else x

    def parameters(self):
        return [p for layer in self.layers for p in layer.parameters()]
