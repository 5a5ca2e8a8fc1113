"""Where the files of a run are, and which of them a rule reads."""

from fwsvm.datasets.storage import prepared_files
from fwsvm.pipeline.listing import drop_if_incomplete, papers
from fwsvm.studies.registry import EXPERIMENTS, STUDIES, WITH_DETAILS

WARM_UP_PARTS = ("dense", "sparse")


class Layout:
    """Names of the files of a run.

    Parameters
    ----------
    study : Study
    present : callable
        Returns the data sets that are available. It is asked only by what depends on them: under Snakemake it raises
        where that is not known yet.

    Attributes
    ----------
    results, figures, raw, prepared, logs : str
        Folders.
    compiled : list of str
        What the compilation of the solvers leaves.
    """

    def __init__(self, study, present):
        self.study, self.present = study, present
        profile, data = study.config["profile"], study.config["data_dir"]
        self.results, self.figures = f"results/{profile}", f"figures/{profile}"
        self.raw, self.prepared = f"{data}/raw", f"{data}/prepared/{study.variant}"
        self.logs = f"{self.results}/logs"
        self.compiled = [f"{self.results}/warm_up/{part}.txt" for part in WARM_UP_PARTS]

    def local_files(self, dataset):
        """The user's own files that a data set is made of."""
        return [str(entry.location(self.raw)) for entry in self.study.raw_files(dataset).values() if entry.path]

    def prepared_files(self, dataset):
        """Files of a prepared data set, `meta.json` first."""
        return list(map(str, prepared_files(f"{self.prepared}/{dataset}")))

    def all_prepared_files(self):
        """Those of all data sets that are available, so that a lost one is noticed."""
        return [path for name in self.present() for path in self.prepared_files(name)]

    def batch_files(self, folder, ending, *experiments):
        """Files of the training jobs (of these experiments, or of all) on the data sets that are available."""
        return [
            f"{self.results}/{folder}/{experiment}/{dataset}.{ending}"
            for experiment, dataset in self.study.batches(self.present())
            if not experiments or experiment in experiments
        ]

    def training_inputs(self, experiment, dataset):
        """The prepared data of a training job, and the tuned parameters of its experiment if it has any."""
        inputs, folder = {"data": self.prepared_files(dataset)}, EXPERIMENTS[experiment].tuned
        return inputs | ({"parameters": f"{self.results}/{folder}/{dataset}.json"} if folder else {})

    def paper_inputs(self, paper):
        """Files that a paper's artefacts are drawn from; those of a study with details wait for no other study."""
        files = {
            "inventory": f"{self.results}/inventory.json",
            "runs": f"{self.results}/runs.tsv",
            "provenance": f"{self.results}/provenance.json",
            "tests": f"{self.results}/tests.tsv",
            "sketches": f"{self.results}/sketches.json",
            "descriptions": f"{self.results}/describe",
            **{name: f"{self.results}/{name}.json" for name in WITH_DETAILS},
        }
        if paper in WITH_DETAILS:
            own = STUDIES[paper].EXPERIMENTS
            files["runs"] = self.batch_files("runs", "tsv", *own)
            files["provenance"] = self.batch_files("runs", "json", *own)
        needs = papers()[paper]
        return {name: files[name] for name in ("inventory", *needs, *(["provenance"] if "runs" in needs else []))}

    @property
    def cores(self):
        """What was measured of jobs side by side (`separate_cores`)."""
        return f"{self.results}/cores.json"

    def listing(self, paper):
        """What lists a paper's artefacts."""
        return f"{self.results}/artefacts/{paper}.json"

    def listings(self, *chosen):
        """Those of these papers (of all, if none is named); one that is incomplete is removed."""
        return [drop_if_incomplete(self.listing(paper)) for paper in chosen or papers()]
