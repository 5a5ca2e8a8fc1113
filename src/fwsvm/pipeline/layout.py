"""Where the files of a run are, and which of them a rule reads."""

from fwsvm.datasets.storage import prepared_files
from fwsvm.pipeline.artefacts import needed_inputs, papers
from fwsvm.studies.registry import EXPERIMENTS, STUDIES, WITH_DETAILS

WARM_UP_PARTS = ("dense", "sparse")


class Layout:
    """Names of the files of a run.

    `present()` returns the data sets that are available; under Snakemake it raises where that is not known yet.
    """

    def __init__(self, configuration, present):
        self.configuration, self.present = configuration, present
        profile, data = configuration.config["profile"], configuration.config["data_dir"]
        self.results, self.figures = f"results/{profile}", f"figures/{profile}"
        self.raw, self.prepared = f"{data}/raw", f"{data}/prepared/{configuration.variant}"
        self.logs = f"{self.results}/logs"
        self.compiled = [f"{self.results}/warm_up/{part}.txt" for part in WARM_UP_PARTS]
        self.cores = f"{self.results}/cores.json"

    def local_files(self, dataset):
        """The user's own files that a data set is made of."""
        return [str(file.location(self.raw)) for file in self.configuration.raw_files(dataset).values() if file.path]

    def prepared_files(self, dataset):
        """Files of a prepared data set, `meta.json` first."""
        return list(map(str, prepared_files(f"{self.prepared}/{dataset}")))

    def all_prepared_files(self):
        return [path for name in self.present() for path in self.prepared_files(name)]

    def batch_files(self, folder, ending, *experiments):
        """Files of the training jobs (of these experiments, or of all) on the data sets that are available."""
        return [
            f"{self.results}/{folder}/{experiment}/{dataset}.{ending}"
            for experiment, dataset in self.configuration.batches(self.present())
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
        needs = needed_inputs(papers()[paper])
        return {name: files[name] for name in ("inventory", *needs, *(["provenance"] if "runs" in needs else []))}

    def listings(self, *chosen):
        """What lists the artefacts of these papers (of all, if none is named)."""
        return [f"{self.results}/artefacts/{paper}.json" for paper in chosen or papers()]
