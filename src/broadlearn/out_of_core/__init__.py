"""Fits to samples that are never held together: on disk, or spread over machines by Dask."""

from broadlearn.out_of_core.blocks import fit_blocks
from broadlearn.out_of_core.dask_fit import fit
from broadlearn.out_of_core.dask_predict import predict

__all__ = [
    "fit",
    "fit_blocks",
    "predict",
]
