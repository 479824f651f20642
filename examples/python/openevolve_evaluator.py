"""An evaluator for OpenEvolve that asks a Vivarium server, and needs nothing but Python's standard library.

OpenEvolve calls evaluate(path), or with `cascade_evaluation: true` evaluate_stage1(path) and, for those that pass it,
evaluate_stage2(path). Each returns an EvaluationResult with the artifacts for the next prompt, or, where openevolve is
not installed, {"metrics": …, "artifacts": …}. The server is VIVARIUM_URL, its token VIVARIUM_TOKEN.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.path.insert(0, str(Path(__file__).resolve().parent))
from vivarium_client import Json, Vivarium  # noqa: E402

try:
    from openevolve.evaluation_result import EvaluationResult
except ImportError:
    EvaluationResult = None

# Candidates are to square a number. Expected answers stay on the server, out of the candidates' sandboxes.
QUICK = {"tests": [{"name": "square of 2", "call": "main.f", "args": [2], "expected": 4}]}
WHOLE = {
    "tests": [
        {"name": f"square of {x}", "call": "main.f", "args": [x], "expected": x * x, "hidden": x < 0}
        for x in (2, 3, -4, 10)
    ]
}
LIMITS = {"memoryBytes": 64 * 2**20}
OPTIONS = {"timeoutMs": 1_000, "itemDeadlineMs": 20_000}
# Artifacts go into prompts.
TEXT_LENGTH_MAX = 20_000


def evaluate(program_path: str) -> Any:
    """Both stages at once, in one request; the second only where the first was passed."""
    stages = [{"name": "quick", "fitness": QUICK, "atLeast": 1}, {"name": "whole", "fitness": WHOLE}]
    return measure(program_path, {"stages": stages})


def evaluate_stage1(program_path: str) -> Any:
    """Whether it is worth while to measure it."""
    return measure(program_path, QUICK)


def evaluate_stage2(program_path: str) -> Any:
    """The score that counts."""
    return measure(program_path, WHOLE)


def measure(program_path: str, fitness: Json) -> Any:
    """What a fitness says of one program. The sandbox is made for it and destroyed afterwards."""
    source = Path(program_path).read_text(encoding="utf-8")
    target = {"modules": {"main": source}, "limits": LIMITS}
    (result,) = Vivarium().evaluate([target], fitness, **OPTIONS)
    metrics, artifacts = metrics_of(result), artifacts_of(result)
    if EvaluationResult is None:
        return {"metrics": metrics, "artifacts": artifacts}
    return EvaluationResult(metrics=metrics, artifacts=artifacts)


def metrics_of(result: Json) -> Dict[str, float]:
    """Numbers by name. A candidate that failed has no `combined_score`, as a failure is not a score."""
    metrics = {f"stage_{stage['name']}": stage["score"] for stage in result["stages"]}
    if result["ok"]:
        metrics.update(result["components"], combined_score=result["score"])
    return metrics


def artifacts_of(result: Json) -> Dict[str, str]:
    """What the author of the next candidate should read: empty where there is nothing to say."""
    error: Json = {} if result["ok"] else result["error"]
    creation: Json = error.get("creation", {})
    thrown: Json = error.get("failure", {}).get("thrown", {})
    failed: List[str] = [f"{test['name']}: {test['message']}" for test in result["tests"] if "message" in test]
    frames: List[str] = [found.get("frame") or found["message"] for found in creation.get("diagnostics", [])]
    texts = {
        "failure": error.get("kind", ""),
        "stderr": thrown.get("stack") or error.get("message", ""),
        "failed_tests": "\n".join(failed),
        "diagnostics": "\n".join(frames),
    }
    return {name: text[:TEXT_LENGTH_MAX] for name, text in texts.items() if text}


if __name__ == "__main__":
    print(json.dumps(evaluate(sys.argv[1]), default=vars))
