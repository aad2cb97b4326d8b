"""Datasets: folders of labelled runs with all that their labels rest on."""

from aegis_core.dataset.dataset import Dataset
from aegis_core.dataset.statistics import Spread, Statistics, statistics
from aegis_core.dataset.writer import DatasetWriter

__all__ = ["Dataset", "DatasetWriter", "Spread", "Statistics", "statistics"]
