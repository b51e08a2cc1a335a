// Test files that are not plain text.

/** A PNG image of eight by eight pixels. */
export const RED = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC',
  'base64',
);

/** A Jupyter notebook of one cell, `c1`. */
export const NOTEBOOK = `{
 "cells": [
  { "cell_type": "code", "execution_count": null, "id": "c1", "metadata": {}, "outputs": [], "source": ["x = 1"] }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;
