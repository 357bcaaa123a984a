"""Convert Hugging Face folders to checkpoints of this package, and back, in two ways.

- XLM-R and BERT models run in this package's own transformer. ``importing`` renames their tensors by the names in
  ``families``, and ``vocabularies`` reads their tokenizers; ``pretrained/exporting`` is the way back.
- ModernBERT and DeBERTa stay modules of transformers (``encoder/bodies``). ``adapting`` keeps their configuration and
  tensors, and writes them back; ``pipelines`` reads their tokenizers.

The other files serve both.
"""
