internal import parley

ParleyProgram.run()
