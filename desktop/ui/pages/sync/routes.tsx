export const syncRoutes = []
