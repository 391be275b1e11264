internal import parleyd

ParleydProgram.run()
