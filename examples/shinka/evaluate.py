"""An evaluator for ShinkaEvolve that runs JavaScript and TypeScript candidates in Vivarium's sandboxes.

Shinka starts it with --program_path and --results_dir, and reads metrics.json and correct.json there, which no candidate
can write. Needs nothing but Python's standard library.
"""

import argparse
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
COMMAND = os.environ.get("VIVARIUM", "npx vivarium").split()
TASK = os.environ.get("VIVARIUM_TASK", os.path.join(HERE, "..", "openevolve", "task.mjs"))


def main(program_path, results_dir):
    command = [*COMMAND, "eval", program_path, "--task", TASK, "--format", "shinka", "--output", results_dir]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--program_path", required=True)
    parser.add_argument("--results_dir", required=True)
    args = parser.parse_args()
    sys.exit(main(args.program_path, args.results_dir))
