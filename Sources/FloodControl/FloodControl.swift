// FloodControl
