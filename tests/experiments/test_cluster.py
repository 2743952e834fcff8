import pytest

from broadlearn.experiments.cluster import cluster_executor
from broadlearn.experiments.result_store import ResultStore
from broadlearn.experiments.study import make_study


def test_a_remote_scheduler_without_tls_is_refused():
    with pytest.raises(ValueError, match="--insecure"), cluster_executor("tcp://10.0.0.5:8786"):
        pass


@pytest.mark.filterwarnings("ignore")
def test_a_local_cluster_gives_the_table_of_one_process(tmp_path):
    pytest.importorskip("distributed")
    study = make_study(["iris"], ["ELM", "BLS"], grid="reduced")
    exports = []
    with ResultStore(tmp_path / "one.db") as store:
        study.run(store)
        store.export_csv(tmp_path / "one.csv")
        exports.append((tmp_path / "one.csv").read_bytes())
    with (
        cluster_executor("local", n_workers=2) as (executor, workers),
        ResultStore(tmp_path / "dask.db") as store,
    ):
        assert workers == 2
        study.run(store, n_jobs=workers, executor=executor)
        store.export_csv(tmp_path / "dask.csv")
        exports.append((tmp_path / "dask.csv").read_bytes())
    assert exports[0] == exports[1]
