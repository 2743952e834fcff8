"""Model files by skops, ONNX graphs by skl2onnx."""

from broadlearn.persistence.model_files import load, model_parts, read_header, save
from broadlearn.persistence.onnx_export import to_onnx

__all__ = ["load", "model_parts", "read_header", "save", "to_onnx"]
