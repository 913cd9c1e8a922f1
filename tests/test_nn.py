"""Neuron, Layer and MLP: what they compute, what they draw from `random`, what they refuse."""

import random

import numpy as np
import pytest
from sklearn.datasets import make_moons

from micrograd.engine import Value
from micrograd.nn import MLP, Layer, Module, Neuron


def test_a_neuron_is_the_squashed_weighted_sum():
    random.seed(1)
    n = Neuron(2, "tanh")
    n.b.data = 0.5
    expected = np.tanh(0.5 + n.w[0].data * 2.0 + n.w[1].data * -1.0)
    # One rounding may differ between the two libraries' tanh.
    assert n([2.0, -1.0]).data == pytest.approx(expected, rel=2**-51)


def test_weights_are_drawn_neuron_by_neuron_and_biases_are_zero():
    random.seed(7)
    model = MLP(2, [3, 1])
    random.seed(7)
    for layer, nin in zip(model.layers, (2, 3), strict=True):
        for neuron in layer.neurons:
            assert [w.data for w in neuron.w] == [random.uniform(-1, 1) for _ in range(nin)]
            assert neuron.b.data == 0.0


@pytest.mark.parametrize(("model", "count"), [((3, [4, 4, 1]), 41), ((2, [16, 16, 1]), 337)])
def test_parameters_are_counted_in_order(model, count):
    mlp = MLP(*model)
    parameters = mlp.parameters()
    assert len(parameters) == len(set(parameters)) == count
    first = mlp.layers[0].neurons[0]
    assert parameters[: len(first.w) + 1] == [*first.w, first.b]


def test_the_last_layer_is_linear_and_the_others_are_not():
    mlp = MLP(2, [3, 2])
    assert repr(mlp) == (
        "MLP of [Layer of [ReLUNeuron(2), ReLUNeuron(2), ReLUNeuron(2)], "
        "Layer of [LinearNeuron(3), LinearNeuron(3)]]"
    )
    assert repr(MLP(2, [1, 1], nonlin="tanh").layers[0]) == "Layer of [TanhNeuron(2)]"


@pytest.mark.parametrize("nonlin", [True, "relu", "tanh", False, None])
def test_nonlin_chooses(nonlin):
    n = Neuron(1, nonlin)
    n.w[0].data = -2.0
    shape = {True: max(-2.0, 0), "relu": 0.0, "tanh": np.tanh(-2.0), False: -2.0, None: -2.0}
    assert n([1.0]).data == pytest.approx(shape[nonlin], rel=2**-51)


def test_a_layer_of_one_gives_its_value_and_any_layer_takes_one():
    random.seed(3)
    assert isinstance(Layer(2, 1)([1.0, 2.0]), Value)
    assert len(Layer(2, 2)([1.0, 2.0])) == 2
    for sizes in ([16, 1, 1], [1, 4, 1], [1, 1, 1]):
        out = MLP(2, sizes, nonlin="tanh")([1.0, 2.0])
        out.backward()
        assert isinstance(out, Value)
    assert isinstance(MLP(1, [1])(Value(2.0)), Value)


@pytest.mark.parametrize("sizes", [(4, 1), [4, 1], range(4, 0, -3), np.array([4, 1])])
def test_sizes_are_any_sequence(sizes):
    assert len(MLP(2, sizes).parameters()) == 17


@pytest.mark.parametrize("row", [(1.0, 2.0), [1, 2], np.array([1.0, 2.0]), iter([1.0, 2.0])])
def test_a_row_is_any_sequence(row):
    random.seed(5)
    expected = MLP(2, [3, 1])([Value(1.0), Value(2.0)]).data
    random.seed(5)
    assert MLP(2, [3, 1])(row).data == expected


@pytest.mark.parametrize("row", [[1.0], [1.0, 2.0, 3.0], []])
def test_a_row_of_the_wrong_length_names_both_lengths(row):
    with pytest.raises(ValueError, match=rf"takes 2 inputs, not {len(row)}"):
        MLP(2, [3, 1])(row)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Neuron(0), ValueError, "at least one input, not 0"),
        (lambda: Neuron(-1), ValueError, "at least one input, not -1"),
        (lambda: Layer(2, 0), ValueError, "at least one neuron, not 0"),
        (lambda: Neuron(2, "sigmoid"), ValueError, "'relu', 'tanh' or None, not 'sigmoid'"),
        (lambda: MLP(2, 4), TypeError, "iterable"),
        (lambda: MLP(2, []), ValueError, "at least one layer"),
    ],
)
def test_bad_shapes_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_zero_grad_clears_parameters():
    random.seed(2)
    mlp = MLP(2, [2, 1], nonlin="tanh")
    mlp([1.0, -1.0]).backward()
    assert any(p.grad for p in mlp.parameters())
    mlp.zero_grad()
    assert [p.grad for p in mlp.parameters()] == [0.0] * len(mlp.parameters())
    assert Module().parameters() == []


def moons_loss(model: MLP) -> Value:
    """The demo's loss on a hundred moons: hinge, averaged, and a little of each weight squared."""
    x, y = make_moons(n_samples=100, noise=0.1)
    scores = [model([Value(v) for v in row]) for row in x]
    losses = [(1 + -yi * s).relu() for yi, s in zip(y * 2 - 1, scores, strict=True)]
    data = sum(losses) * (1.0 / len(losses))
    return data + 1e-4 * sum(p * p for p in model.parameters())


def test_the_first_loss_of_the_moons_demo_to_the_last_digit():
    np.random.seed(1337)
    random.seed(1337)
    assert moons_loss(MLP(2, [16, 16, 1])).data == 0.8958441028683222
