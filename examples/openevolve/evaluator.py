"""An evaluator for OpenEvolve that runs JavaScript and TypeScript candidates in Vivarium's sandboxes.

OpenEvolve calls evaluate(path). Where its EvaluationResult can be imported it gets one, with the artifacts for the next
prompt; otherwise the metrics alone. Needs nothing but Python's standard library.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.environ.get("VIVARIUM", "npx vivarium").split()
TASK = os.environ.get("VIVARIUM_TASK", os.path.join(HERE, "task.mjs"))


def run(program_path):
    """The metrics and artifacts of one candidate. A candidate that failed has no combined_score."""
    command = [*COMMAND, "eval", program_path, "--task", TASK, "--format", "openevolve"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        raise RuntimeError(f"vivarium eval ended with {ended.returncode}: {ended.stderr.strip()}")
    return json.loads(ended.stdout)


def evaluate(program_path):
    result = run(program_path)
    try:
        from openevolve.evaluation_result import EvaluationResult
    except ImportError:
        return result["metrics"]
    return EvaluationResult(metrics=result["metrics"], artifacts=result["artifacts"])


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1])))
