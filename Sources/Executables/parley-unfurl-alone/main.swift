internal import parley_unfurl

ParleyUnfurlProgram.run()
