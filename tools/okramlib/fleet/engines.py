# SPDX-License-Identifier: MIT
"""What answers questions: DuckDB within this program, or Spark. Both read the same Parquet files
and the same Ibis expressions."""

import contextlib
import glob
import tempfile
import warnings
from pathlib import Path

from . import schema

DUCKDB, PYSPARK = "duckdb", "pyspark"
ENGINES = (DUCKDB, PYSPARK)
LOCAL = "local[*]"  # Spark within this machine

_SPARK = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "8",
    # Months would be read as times.
    "spark.sql.sources.partitionColumnTypeInference.enabled": "false",
}


@contextlib.contextmanager
def tables(engine, folder, master=None):
    """{name: Ibis table} of a data set. master: of Spark."""
    opened = _spark if engine == PYSPARK else _duckdb
    with warnings.catch_warnings(), opened(master) as (connection, options):
        warnings.simplefilter("ignore")  # of these libraries, about each other
        yield {
            name: connection.read_parquet(_files(engine, folder, name), **options)[list(columns)]
            for name, columns in schema.TABLES.items()
        }


def rows(expression):
    """The rows of an expression as dictionaries."""
    return expression.to_pyarrow().to_pylist()


def _files(engine, folder, name):
    path = Path(folder).absolute() / name
    return path.as_uri() if engine == PYSPARK else f"{glob.escape(str(path))}/month=*/*.parquet"


@contextlib.contextmanager
def _duckdb(_):
    import ibis

    with tempfile.TemporaryDirectory(prefix="okram-") as folder:  # for what memory does not hold
        connection = ibis.duckdb.connect(temp_directory=folder)
        try:
            yield connection, {"hive_partitioning": False}
        finally:
            connection.disconnect()


@contextlib.contextmanager
def _spark(master):
    import ibis
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.appName("okram fleet").master(master or LOCAL)
    for name, value in _SPARK.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield ibis.pyspark.connect(session), {}
    finally:
        session.stop()
