"""Calls that type checkers accept, and those that they refuse: each line that ends in `# wrong`."""

import ligament as lg

recording = lg.simulate("door.glb", seconds=3, gravity=[0, -1.6, 0], animations="open")
recording.times.shape[0].bit_length()
baked = lg.bake("door.glb", recording, strip=True)
baked.json.keys()
simulation = lg.Simulation("door.glb", rate=30, engine="mujoco")
simulation.step()
pose = lg.retarget("dance.vrma", "avatar.vrm", [0.0, 0.5], speed=2, trim=(1, 2))
pose.on_host().times.shape[0].bit_length()
moving = lg.add_motion("avatar.vrm", pose, name="dance", springs="steady")
moving.json.keys()

lg.simulate("door.glb", secs=3)  # wrong
lg.simulate(document="door.glb")  # wrong
lg.add_motion("avatar.vrm", pose, root_motions=True)  # wrong
lg.add_motion("avatar.vrm", pose, springs="slow")  # wrong
lg.simulate("door.glb", quality="best")  # wrong
lg.simulate("door.glb", rate="60")  # wrong
lg.simulate()  # wrong
lg.bake("door.glb", recording, stripped=True)  # wrong
lg.Simulation("door.glb", rte=30)  # wrong
lg.Simulation("door.glb", seconds=3)  # wrong
lg.retarget("dance.vrma")  # wrong
lg.retarget("dance.vrma", "avatar.vrm", hips="half")  # wrong
